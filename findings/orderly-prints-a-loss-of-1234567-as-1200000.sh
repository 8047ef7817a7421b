#!/usr/bin/env bash
# Expected: a loss is printed to as many digits as a gain: -1234567.89 and 1234567.89 at two decimals.
# Happens: formatWithPrecision asks whether the number is at least 1, which no negative number is, and cuts it to two
#   significant digits: -999.99 is -990, -216.91 is -210 and -1234567.891 is -1200000.
# Versions: @orderly.network/utils 3.2.1 (npm), Node.js 20.
# Date: 2026-11-28
set -euo pipefail

for tool in node npm; do
  command -v "$tool" >/dev/null || { echo "$tool is absent: this finding needs it."; exit 3; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
echo '{ "private": true }' >package.json
npm install --loglevel=error --no-audit --no-fund --ignore-scripts @orderly.network/utils@3.2.1 >/dev/null

cat >run.mjs <<'PROGRAM'
import { formatWithPrecision } from "@orderly.network/utils";

for (const amount of ["1234567.891", "999.99", "216.91", "0.5"]) {
  console.log(`${amount} is ${formatWithPrecision(amount, 2)}, -${amount} is ${formatWithPrecision(`-${amount}`, 2)}`);
}
PROGRAM

cat >stated.txt <<'OUTPUT'
1234567.891 is 1234567.89, -1234567.891 is -1200000
999.99 is 999.99, -999.99 is -990
216.91 is 216.91, -216.91 is -210
0.5 is 0.5, -0.5 is -0.5
OUTPUT

node run.mjs >seen.txt
cat seen.txt
if ! diff stated.txt seen.txt >&2; then
  echo "The output differs from the one stated here: look at this finding again." >&2
  exit 1
fi
