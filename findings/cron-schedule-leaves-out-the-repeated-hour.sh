#!/usr/bin/env bash
# Expected: an hourly job runs 25 times on the day of 25 hours, and a job every quarter of an hour 100 times, as in
#   cron and croner.
# Happens: cron-schedule runs them 24 and 96 times. After 00:45 UTC it is silent until 02:00 UTC, so an hourly funding
#   or snapshot is missing.
# Versions: cron-schedule 6.0.0, croner 11.0.1 for comparison (npm), Node.js 20, zone Europe/London.
# Date: 2026-11-28
set -euo pipefail

for tool in node npm; do
  command -v "$tool" >/dev/null || { echo "$tool is absent: this finding needs it."; exit 3; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
echo '{ "private": true }' >package.json
npm install --loglevel=error --no-audit --no-fund --ignore-scripts cron-schedule@6.0.0 croner@11.0.1 >/dev/null

cat >run.mjs <<'PROGRAM'
import { parseCronExpression } from "cron-schedule";
import { Cron } from "croner";

const from = new Date("2026-10-24T22:59:59Z");
const until = new Date("2026-10-26T00:00:00Z");

function runs(next) {
  const found = [];
  for (let at = next(from); at < until; at = next(at)) found.push(at.toISOString().slice(11, 16));
  return found;
}
for (const line of ["0 * * * *", "*/15 * * * *"]) {
  const mine = runs((at) => parseCronExpression(line).getNextDate(at));
  const job = new Cron(line, { paused: true });
  const theirs = runs((at) => job.nextRun(at));
  const missing = theirs.filter((time) => !mine.includes(time));
  console.log(`${line}: cron-schedule ${mine.length}, croner ${theirs.length}, missing at ${missing.join(" ")} UTC`);
}
PROGRAM

cat >stated.txt <<'OUTPUT'
0 * * * *: cron-schedule 24, croner 25, missing at 01:00 UTC
*/15 * * * *: cron-schedule 96, croner 100, missing at 01:00 01:15 01:30 01:45 UTC
OUTPUT

TZ=Europe/London node run.mjs >seen.txt
cat seen.txt
if ! diff stated.txt seen.txt >&2; then
  echo "The output differs from the one stated here: look at this finding again." >&2
  exit 1
fi
