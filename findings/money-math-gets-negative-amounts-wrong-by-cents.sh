#!/usr/bin/env bash
# Expected: a negative amount times or divided by a number is minus the result of the positive amount, give or take a
#   half cent.
# Happens: negative results come out up to two cents too high: -2.00 / 3.00 is -0.65, -1.05 * 1.50 is -1.56, and -0.10
#   * 0.09 is +0.01. Positive amounts are right.
# Versions: money-math 2.6.3 (npm), Node.js 20.
# Date: 2026-11-28
set -euo pipefail

for tool in node npm; do
  command -v "$tool" >/dev/null || { echo "$tool is absent: this finding needs it."; exit 3; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
echo '{ "private": true }' >package.json
npm install --loglevel=error --no-audit --no-fund --ignore-scripts money-math@2.6.3 >/dev/null

cat >run.mjs <<'PROGRAM'
import money from "money-math";

for (const [a, b] of [["2.00", "3.00"], ["100.00", "7.00"]]) {
  console.log(`${a} / ${b} = ${money.div(a, b)}, -${a} / ${b} = ${money.div(`-${a}`, b)}`);
}
for (const [a, b] of [["1.05", "1.50"], ["0.10", "0.09"], ["216.91", "0.25"]]) {
  console.log(`${a} * ${b} = ${money.mul(a, b)}, -${a} * ${b} = ${money.mul(`-${a}`, b)}`);
}
PROGRAM

cat >stated.txt <<'OUTPUT'
2.00 / 3.00 = 0.67, -2.00 / 3.00 = -0.65
100.00 / 7.00 = 14.29, -100.00 / 7.00 = -14.27
1.05 * 1.50 = 1.58, -1.05 * 1.50 = -1.56
0.10 * 0.09 = 0.01, -0.10 * 0.09 = 0.01
216.91 * 0.25 = 54.23, -216.91 * 0.25 = -54.21
OUTPUT

node run.mjs >seen.txt
cat seen.txt
if ! diff stated.txt seen.txt >&2; then
  echo "The output differs from the one stated here: look at this finding again." >&2
  exit 1
fi
