#!/usr/bin/env bash
# Expected: getMedian returns the median, in whatever order the values come, as getQuartile(values, 0.5) of the same
#   package does.
# Happens: getMedian does not sort: it returns what happens to be in the middle of the list. The median of 10, 9, 100,
#   12, 11 is 100. Its documentation does not ask for sorted values.
# Versions: trading-signals 8.3.0 (npm), Node.js 20.
# Date: 2026-11-28
set -euo pipefail

for tool in node npm; do
  command -v "$tool" >/dev/null || { echo "$tool is absent: this finding needs it."; exit 3; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
echo '{ "private": true }' >package.json
npm install --loglevel=error --no-audit --no-fund --ignore-scripts trading-signals@8.3.0 >/dev/null

cat >run.mjs <<'PROGRAM'
import { getMedian, getQuartile } from "trading-signals";

for (const values of [[9, 10, 11, 12, 100], [10, 9, 100, 12, 11], [4, 1, 3, 2]]) {
  console.log(`${values.join(" ")}: getMedian ${getMedian(values)}, getQuartile ${getQuartile(values, 0.5)}`);
}
PROGRAM

cat >stated.txt <<'OUTPUT'
9 10 11 12 100: getMedian 11, getQuartile 11
10 9 100 12 11: getMedian 100, getQuartile 11
4 1 3 2: getMedian 2, getQuartile 2.5
OUTPUT

node run.mjs >seen.txt
cat seen.txt
if ! diff stated.txt seen.txt >&2; then
  echo "The output differs from the one stated here: look at this finding again." >&2
  exit 1
fi
