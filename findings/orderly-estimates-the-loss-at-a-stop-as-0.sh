#!/usr/bin/env bash
# Expected: estPnLForSL returns the loss at the stop price, as estPnLForTP returns the gain at the target: -20 for 2
#   short at 100 with a stop at 110.
# Happens: estPnLForSL returns 0 for every position and price, so a risk figure that adds it up is 0. estPnLForTP
#   takes the same input and gives the right number for both.
# Versions: @orderly.network/perp 5.2.1 (npm), Node.js 20.
# Date: 2026-11-28
set -euo pipefail

for tool in node npm; do
  command -v "$tool" >/dev/null || { echo "$tool is absent: this finding needs it."; exit 3; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
echo '{ "private": true }' >package.json
npm install --loglevel=error --no-audit --no-fund --ignore-scripts @orderly.network/perp@5.2.1 >/dev/null

cat >run.mjs <<'PROGRAM'
import { positions } from "@orderly.network/perp";

for (const [positionQty, price] of [[-2, 110], [2, 90], [-2, 90]]) {
  const position = { positionQty, entryPrice: 100, price };
  console.log(`${positionQty} at 100, out at ${price}: estPnLForSL ${positions.estPnLForSL(position)}, estPnLForTP ${positions.estPnLForTP(position)}`);
}
PROGRAM

cat >stated.txt <<'OUTPUT'
-2 at 100, out at 110: estPnLForSL 0, estPnLForTP -20
2 at 100, out at 90: estPnLForSL 0, estPnLForTP -20
-2 at 100, out at 90: estPnLForSL 0, estPnLForTP 20
OUTPUT

node run.mjs >seen.txt
cat seen.txt
if ! diff stated.txt seen.txt >&2; then
  echo "The output differs from the one stated here: look at this finding again." >&2
  exit 1
fi
