#!/usr/bin/env bash
# Expected: math.js compares BigNumbers exactly: 5000000.000001 is larger than 5000000, since their difference is
#   0.000001.
# Happens: larger, equal, sort and floor of BigNumbers use the relative tolerance of 1e-12 that is meant for doubles.
#   A base unit of USDC more on five million goes unseen, sort leaves the pair as it is, and floor(2.9999999999999) is
#   3. bigint and Fraction are exact.
# Versions: mathjs 15.2.0 (npm), Node.js 20.
# Date: 2026-11-28
set -euo pipefail

for tool in node npm; do
  command -v "$tool" >/dev/null || { echo "$tool is absent: this finding needs it."; exit 3; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
echo '{ "private": true }' >package.json
npm install --loglevel=error --no-audit --no-fund --ignore-scripts mathjs@15.2.0 >/dev/null

cat >run.mjs <<'PROGRAM'
import { all, create } from "mathjs";

const math = create(all);
const [paid, due] = ["5000000.000001", "5000000"];
const [a, b] = [math.bignumber(paid), math.bignumber(due)];
console.log(`difference ${math.subtract(a, b).toFixed()}`);
console.log(`larger ${math.larger(a, b)}, equal ${math.equal(a, b)}, sorted ${math.sort([a, b]).join(" ")}`);
console.log(`as fractions: equal ${math.equal(math.fraction(paid), math.fraction(due))}`);
console.log(`as bigint: equal ${math.equal(5000000000001n, 5000000000000n)}`);
console.log(`floor ${math.floor(math.bignumber("2.9999999999999"))}`);
PROGRAM

cat >stated.txt <<'OUTPUT'
difference 0.000001
larger false, equal true, sorted 5000000.000001 5000000
as fractions: equal false
as bigint: equal false
floor 3
OUTPUT

node run.mjs >seen.txt
cat seen.txt
if ! diff stated.txt seen.txt >&2; then
  echo "The output differs from the one stated here: look at this finding again." >&2
  exit 1
fi
