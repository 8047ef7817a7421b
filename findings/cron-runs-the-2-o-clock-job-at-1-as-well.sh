#!/usr/bin/env bash
# Expected: on the night when London clocks go back, a job at 02:00 runs once, at 02:00.
# Happens: cron runs it at 01:00 (after the change) and again at 02:00, one hour later. A job every two hours runs 13
#   times that day, once at an odd hour.
# Versions: cron 4.4.0, croner 11.0.1 for comparison (npm), Node.js 20.
# Date: 2026-11-28
set -euo pipefail

for tool in node npm; do
  command -v "$tool" >/dev/null || { echo "$tool is absent: this finding needs it."; exit 3; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
echo '{ "private": true }' >package.json
npm install --loglevel=error --no-audit --no-fund --ignore-scripts cron@4.4.0 croner@11.0.1 >/dev/null

cat >run.mjs <<'PROGRAM'
import { CronTime } from "cron";
import { Cron } from "croner";

const zone = "Europe/London";
const from = new Date("2026-10-24T22:59:59Z");
const until = new Date("2026-10-26T00:00:00Z");
const local = new Intl.DateTimeFormat("en-GB", { timeZone: zone, timeStyle: "short" });

function runs(next) {
  const found = [];
  for (let at = next(from); at < until; at = next(at)) found.push(`${at.toISOString().slice(0, 16)}Z (${local.format(at)})`);
  return found;
}
for (const line of ["0 2 * * *", "0 */2 * * *"]) {
  const time = new CronTime(line, zone);
  const other = new Cron(line, { timezone: zone, paused: true });
  const mine = runs((at) => time.getNextDateFrom(at, zone).toJSDate());
  const theirs = runs((at) => other.nextRun(at));
  console.log(`${line}: cron ${mine.length} runs, croner ${theirs.length}`);
  console.log(`  cron: ${mine.slice(0, 3).join(", ")}`);
  console.log(`  croner: ${theirs.slice(0, 3).join(", ")}`);
}
PROGRAM

cat >stated.txt <<'OUTPUT'
0 2 * * *: cron 2 runs, croner 1
  cron: 2026-10-25T01:00Z (01:00), 2026-10-25T02:00Z (02:00)
  croner: 2026-10-25T02:00Z (02:00)
0 */2 * * *: cron 13 runs, croner 12
  cron: 2026-10-24T23:00Z (00:00), 2026-10-25T01:00Z (01:00), 2026-10-25T02:00Z (02:00)
  croner: 2026-10-24T23:00Z (00:00), 2026-10-25T02:00Z (02:00), 2026-10-25T04:00Z (04:00)
OUTPUT

node run.mjs >seen.txt
cat seen.txt
if ! diff stated.txt seen.txt >&2; then
  echo "The output differs from the one stated here: look at this finding again." >&2
  exit 1
fi
