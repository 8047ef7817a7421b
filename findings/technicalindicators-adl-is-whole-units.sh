#!/usr/bin/env bash
# Expected: the accumulation/distribution line of a market that trades fractions of a unit has fractions, as in
#   trading-signals.
# Happens: technicalindicators rounds each value of the line to a whole unit: three candles of 0.5 give 0, 1, 1
#   instead of 0.25, 0.5, 0.75, and a market with trades of 0.1 stays at zero.
# Versions: technicalindicators 3.1.0, trading-signals 8.3.0 (npm), Node.js 20.
# Date: 2026-11-28
set -euo pipefail

for tool in node npm; do
  command -v "$tool" >/dev/null || { echo "$tool is absent: this finding needs it."; exit 3; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
echo '{ "private": true }' >package.json
npm install --loglevel=error --no-audit --no-fund --ignore-scripts technicalindicators@3.1.0 trading-signals@8.3.0 >/dev/null

cat >run.mjs <<'PROGRAM'
import { ADL } from "technicalindicators";
import { AD } from "trading-signals";

for (const size of [0.5, 0.1, 1000]) {
  const high = [11, 12, 13];
  const low = [9, 10, 11];
  const close = [10.5, 11.5, 12.5];
  const volume = [size, size, size];
  const other = new AD();
  const values = close.map((_, at) => {
    other.add({ open: low[at], high: high[at], low: low[at], close: close[at], volume: size });
    return Number(other.getResult().toFixed(9));
  });
  console.log(`size ${size}: technicalindicators ${ADL.calculate({ high, low, close, volume }).join(" ")}`);
  console.log(`size ${size}: trading-signals ${values.join(" ")}`);
}
PROGRAM

cat >stated.txt <<'OUTPUT'
size 0.5: technicalindicators 0 1 1
size 0.5: trading-signals 0.25 0.5 0.75
size 0.1: technicalindicators 0 0 0
size 0.1: trading-signals 0.05 0.1 0.15
size 1000: technicalindicators 500 1000 1500
size 1000: trading-signals 500 1000 1500
OUTPUT

node run.mjs >seen.txt
cat seen.txt
if ! diff stated.txt seen.txt >&2; then
  echo "The output differs from the one stated here: look at this finding again." >&2
  exit 1
fi
