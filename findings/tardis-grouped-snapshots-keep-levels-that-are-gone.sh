#!/usr/bin/env bash
# Expected: a price group whose orders are all gone leaves the snapshot, as it does without grouping.
# Happens: computeBookSnapshots with grouping never clears a level. Deleting 99.5 and 98.5 gives no new snapshot, and
#   after a fall to 50.5 the bids read 50, 99, 98 beside an ask of 61: ghost bids, out of order and above the ask.
# Versions: tardis-dev 13.35.3 (npm), Node.js 20.
# Date: 2026-11-28
set -euo pipefail

for tool in node npm; do
  command -v "$tool" >/dev/null || { echo "$tool is absent: this finding needs it."; exit 3; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
echo '{ "private": true }' >package.json
npm install --loglevel=error --no-audit --no-fund --ignore-scripts tardis-dev@13.35.3 >/dev/null

cat >run.mjs <<'PROGRAM'
import { compute, computeBookSnapshots } from "tardis-dev";

const base = { type: "book_change", symbol: "HOU", exchange: "any", localTimestamp: new Date(0) };
const at = (second) => new Date(Date.UTC(2026, 10, 28, 10, 0, second));
const level = (price, amount) => ({ price, amount });

async function* changes() {
  const bids = [level(100.5, 1), level(99.5, 2), level(98.5, 4)];
  yield { ...base, isSnapshot: true, timestamp: at(0), bids, asks: [level(101.5, 1)] };
  yield { ...base, isSnapshot: false, timestamp: at(1), bids: [level(99.5, 0), level(98.5, 0)], asks: [] };
  yield { ...base, isSnapshot: true, timestamp: at(2), bids: [level(50.5, 7)], asks: [level(60.5, 7)] };
}
const print = (levels) => levels.filter(({ price }) => price !== undefined).map(({ price, amount }) => `${amount} at ${price}`).join(", ");
for (const grouping of [undefined, 1]) {
  for await (const row of compute(changes(), computeBookSnapshots({ depth: 3, interval: 0, grouping }))) {
    if (row.type !== "book_snapshot") continue;
    const name = grouping ? "grouped by 1" : "not grouped";
    console.log(`${name}, second ${row.timestamp.getUTCSeconds()}: bids ${print(row.bids)}; asks ${print(row.asks)}`);
  }
}
PROGRAM

cat >stated.txt <<'OUTPUT'
not grouped, second 0: bids 1 at 100.5, 2 at 99.5, 4 at 98.5; asks 1 at 101.5
not grouped, second 1: bids 1 at 100.5; asks 1 at 101.5
not grouped, second 2: bids 7 at 50.5; asks 7 at 60.5
grouped by 1, second 0: bids 1 at 100, 2 at 99, 4 at 98; asks 1 at 102
grouped by 1, second 2: bids 7 at 50, 2 at 99, 4 at 98; asks 7 at 61
OUTPUT

node run.mjs >seen.txt
cat seen.txt
if ! diff stated.txt seen.txt >&2; then
  echo "The output differs from the one stated here: look at this finding again." >&2
  exit 1
fi
