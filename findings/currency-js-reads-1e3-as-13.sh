#!/usr/bin/env bash
# Expected: currency.js reads the text 1e3 as 1000 or refuses it, and reads a minus sign in each form that formatters
#   print.
# Happens: it drops every character but digits, point, comma and ASCII minus: 1e3 is 13, 1e21 is 121, and -5.00 as
#   d3-format or the Swedish locale print it (with U+2212) is +5. In strict mode it does the same.
# Versions: currency.js 2.0.4, d3-format 3.1.3 (npm), Node.js 20.
# Date: 2026-11-28
set -euo pipefail

for tool in node npm; do
  command -v "$tool" >/dev/null || { echo "$tool is absent: this finding needs it."; exit 3; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
echo '{ "private": true }' >package.json
npm install --loglevel=error --no-audit --no-fund --ignore-scripts currency.js@2.0.4 d3-format@3.1.3 >/dev/null

cat >run.mjs <<'PROGRAM'
import currency from "currency.js";
import { format } from "d3-format";

const texts = {
  "1e3": "1e3",
  "1e21": "1e21",
  "ASCII -5.00": "-5.00",
  "d3-format of -5": format(".2f")(-5),
  "sv-SE of -5": new Intl.NumberFormat("sv-SE").format(-5),
};
for (const [name, text] of Object.entries(texts)) {
  console.log(`${name}: ${currency(text).value}, strict ${currency(text, { errorOnInvalid: true }).value}`);
}
PROGRAM

cat >stated.txt <<'OUTPUT'
1e3: 13, strict 13
1e21: 121, strict 121
ASCII -5.00: -5, strict -5
d3-format of -5: 5, strict 5
sv-SE of -5: 5, strict 5
OUTPUT

node run.mjs >seen.txt
cat seen.txt
if ! diff stated.txt seen.txt >&2; then
  echo "The output differs from the one stated here: look at this finding again." >&2
  exit 1
fi
