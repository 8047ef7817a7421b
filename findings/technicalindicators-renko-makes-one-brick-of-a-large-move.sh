#!/usr/bin/env bash
# Expected: a move of five ticks makes five bricks of one tick, so the last brick is within a brick of the price.
# Happens: renko makes at most one brick per candle: the price rises from 100 to 115 and the bricks end at 103. The
#   candle that falls to 112 then adds one more brick upward.
# Versions: technicalindicators 3.1.0 (npm), Node.js 20.
# Date: 2026-11-28
set -euo pipefail

for tool in node npm; do
  command -v "$tool" >/dev/null || { echo "$tool is absent: this finding needs it."; exit 3; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
echo '{ "private": true }' >package.json
npm install --loglevel=error --no-audit --no-fund --ignore-scripts technicalindicators@3.1.0 >/dev/null

cat >run.mjs <<'PROGRAM'
import { renko } from "technicalindicators";

const close = [100, 105, 110, 115, 112];
const open = [100, ...close.slice(0, -1)];
const bricks = renko({
  open,
  close,
  high: open.map((price, at) => Math.max(price, close[at])),
  low: open.map((price, at) => Math.min(price, close[at])),
  volume: close.map(() => 1),
  timestamp: close.map((_, at) => at),
  brickSize: 1,
  useATR: false,
});
console.log(`closes ${close.join(" ")}`);
bricks.open.forEach((price, at) => console.log(`brick at candle ${bricks.timestamp[at]}: ${price} to ${bricks.close[at]}`));
PROGRAM

cat >stated.txt <<'OUTPUT'
closes 100 105 110 115 112
brick at candle 1: 100 to 101
brick at candle 2: 101 to 102
brick at candle 3: 102 to 103
brick at candle 4: 103 to 104
OUTPUT

node run.mjs >seen.txt
cat seen.txt
if ! diff stated.txt seen.txt >&2; then
  echo "The output differs from the one stated here: look at this finding again." >&2
  exit 1
fi
