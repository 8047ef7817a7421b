#!/usr/bin/env bash
# Expected: the volumes of all price bins sum to the traded volume.
# Happens: VolumeProfile adds the whole volume of a candle to each bin that the candle touches: 600 traded become 1100
#   with two bins and 3300 with eight. More bins make more volume.
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
import { VolumeProfile } from "technicalindicators";

const candles = {
  open: [100, 102, 105],
  high: [103, 106, 108],
  low: [100, 101, 104],
  close: [102, 105, 107],
  volume: [100, 200, 300],
};
console.log(`traded ${candles.volume.reduce((sum, volume) => sum + volume)}`);
for (const noOfBars of [1, 2, 4, 8]) {
  const bins = VolumeProfile.calculate({ ...candles, noOfBars });
  console.log(`${noOfBars} bins: ${bins.map((bin) => bin.totalVolume).join(" + ")} = ${bins.reduce((sum, bin) => sum + bin.totalVolume, 0)}`);
}
PROGRAM

cat >stated.txt <<'OUTPUT'
traded 600
1 bins: 600 = 600
2 bins: 600 + 500 = 1100
4 bins: 300 + 600 + 500 + 500 = 1900
8 bins: 300 + 300 + 300 + 600 + 500 + 500 + 500 + 300 = 3300
OUTPUT

node run.mjs >seen.txt
cat seen.txt
if ! diff stated.txt seen.txt >&2; then
  echo "The output differs from the one stated here: look at this finding again." >&2
  exit 1
fi
