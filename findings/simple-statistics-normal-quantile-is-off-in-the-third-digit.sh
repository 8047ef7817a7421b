#!/usr/bin/env bash
# Expected: the normal quantile at 99 % is 2.326348, right to six digits at least.
# Happens: probit(0.99) is 2.3214 and probit(0.95) is 1.6434. A one-day value at risk of 99 % on one million at 2 %
#   volatility comes out 100 too small, and another library disagrees in the third digit.
# Versions: simple-statistics 7.12.1, @stdlib/stats-base-dists-normal-quantile 0.3.1 for comparison (npm), Node.js 20.
# Date: 2026-11-28
set -euo pipefail

for tool in node npm; do
  command -v "$tool" >/dev/null || { echo "$tool is absent: this finding needs it."; exit 3; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
echo '{ "private": true }' >package.json
npm install --loglevel=error --no-audit --no-fund --ignore-scripts simple-statistics@7.12.1 @stdlib/stats-base-dists-normal-quantile@0.3.1 >/dev/null

cat >run.mjs <<'PROGRAM'
import quantile from "@stdlib/stats-base-dists-normal-quantile";
import { probit } from "simple-statistics";

for (const share of [0.95, 0.975, 0.99, 0.999]) {
  const [mine, exact] = [probit(share), quantile(share, 0, 1)];
  const risk = (z) => (1_000_000 * 0.02 * z).toFixed(0);
  console.log(`${share}: simple-statistics ${mine.toFixed(6)}, stdlib ${exact.toFixed(6)}; at risk ${risk(mine)}, ${risk(exact)}`);
}
PROGRAM

cat >stated.txt <<'OUTPUT'
0.95: simple-statistics 1.643421, stdlib 1.644854; at risk 32868, 32897
0.975: simple-statistics 1.957162, stdlib 1.959964; at risk 39143, 39199
0.99: simple-statistics 2.321368, stdlib 2.326348; at risk 46427, 46527
0.999: simple-statistics 3.080132, stdlib 3.090232; at risk 61603, 61805
OUTPUT

node run.mjs >seen.txt
cat seen.txt
if ! diff stated.txt seen.txt >&2; then
  echo "The output differs from the one stated here: look at this finding again." >&2
  exit 1
fi
