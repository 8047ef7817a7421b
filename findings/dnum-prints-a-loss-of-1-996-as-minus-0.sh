#!/usr/bin/env bash
# Expected: two digits of -1.996 are -2, as those of 1.996 are 2.
# Happens: dnum prints -0, and -98 for -99.996. Where rounding carries into the whole part of a negative number, the
#   carry goes the wrong way and the amount comes out 2 too small. toNumber() with digits returns the same;
#   setDecimals() rounds right.
# Versions: dnum 2.17.0 (npm), Node.js 20.
# Date: 2026-11-28
set -euo pipefail

for tool in node npm; do
  command -v "$tool" >/dev/null || { echo "$tool is absent: this finding needs it."; exit 3; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
echo '{ "private": true }' >package.json
npm install --loglevel=error --no-audit --no-fund --ignore-scripts dnum@2.17.0 >/dev/null

cat >run.mjs <<'PROGRAM'
import * as dnum from "dnum";

console.log("value format toNumber setDecimals");
for (const text of ["1.996", "-1.996", "-2.995", "99.996", "-99.996"]) {
  const value = dnum.from(text, 18);
  const rounded = dnum.toString(dnum.setDecimals(value, 2));
  console.log(text, dnum.format(value, { digits: 2, locale: "en-US" }), dnum.toNumber(value, { digits: 2 }), rounded);
}
PROGRAM

cat >stated.txt <<'OUTPUT'
value format toNumber setDecimals
1.996 2 2 2
-1.996 -0 -0 -2
-2.995 -1 -1 -3
99.996 100 100 100
-99.996 -98 -98 -100
OUTPUT

node run.mjs >seen.txt
cat seen.txt
if ! diff stated.txt seen.txt >&2; then
  echo "The output differs from the one stated here: look at this finding again." >&2
  exit 1
fi
