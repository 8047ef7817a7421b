#!/usr/bin/env bash
# Expected: the money flow index counts a candle as inflow if its typical price rises. A market that only falls has 0,
#   as in technicalindicators and trading-signals.
# Happens: indicatorts compares price times volume instead: falling prices with rising volume have an index of 100,
#   and rising prices with falling volume 0, so the signal is upside down.
# Versions: indicatorts 2.2.2, technicalindicators 3.1.0, trading-signals 8.3.0 (npm), Node.js 20.
# Date: 2026-11-28
set -euo pipefail

for tool in node npm; do
  command -v "$tool" >/dev/null || { echo "$tool is absent: this finding needs it."; exit 3; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
echo '{ "private": true }' >package.json
npm install --loglevel=error --no-audit --no-fund --ignore-scripts indicatorts@2.2.2 technicalindicators@3.1.0 trading-signals@8.3.0 >/dev/null

cat >run.mjs <<'PROGRAM'
import { mfi } from "indicatorts";
import { MFI } from "technicalindicators";
import { MFI as Other } from "trading-signals";

const steps = [0, 1, 2, 3, 4, 5, 6, 7];
const markets = {
  "falling prices, rising volume": [steps.map((step) => 200 - step), steps.map((step) => 100 + 10 * step)],
  "rising prices, falling volume": [steps.map((step) => 200 + step), steps.map((step) => 200 - 10 * step)],
};
for (const [name, [close, volume]] of Object.entries(markets)) {
  const high = close.map((price) => price + 1);
  const low = close.map((price) => price - 1);
  const other = new Other(5);
  close.forEach((price, at) => {
    other.add({ open: price, high: high[at], low: low[at], close: price, volume: volume[at] });
  });
  console.log(name);
  console.log(`  indicatorts ${mfi(high, low, close, volume, { period: 5 }).at(-1)}`);
  console.log(`  technicalindicators ${MFI.calculate({ high, low, close, volume, period: 5 }).at(-1)}`);
  console.log(`  trading-signals ${other.getResult()}`);
}
PROGRAM

cat >stated.txt <<'OUTPUT'
falling prices, rising volume
  indicatorts 100
  technicalindicators 0
  trading-signals 0
rising prices, falling volume
  indicatorts 0
  technicalindicators 100
  trading-signals 100
OUTPUT

node run.mjs >seen.txt
cat seen.txt
if ! diff stated.txt seen.txt >&2; then
  echo "The output differs from the one stated here: look at this finding again." >&2
  exit 1
fi
