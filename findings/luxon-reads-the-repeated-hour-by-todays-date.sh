#!/usr/bin/env bash
# Expected: a local time with a zone is the same instant on every run. 01:30 on the night when the clocks go back is
#   the first of the two.
# Happens: luxon takes the first where today's offset in that zone is summer time, and the second where it is winter
#   time. The same file of local times, read in July and in December, gives instants an hour apart; a replay does not
#   repeat.
# Versions: luxon 3.7.2 (npm), Node.js 20.
# Date: 2026-11-28
set -euo pipefail

for tool in node npm; do
  command -v "$tool" >/dev/null || { echo "$tool is absent: this finding needs it."; exit 3; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
echo '{ "private": true }' >package.json
npm install --loglevel=error --no-audit --no-fund --ignore-scripts luxon@3.7.2 >/dev/null

cat >run.mjs <<'PROGRAM'
import { DateTime, Settings } from "luxon";

const rows = [
  ["2026-10-25T01:30:00", "Europe/London"],
  ["2026-11-01T01:30:00", "America/New_York"],
];
for (const today of ["2026-07-01", "2026-12-01"]) {
  Settings.now = () => Date.parse(`${today}T12:00:00Z`);
  for (const [time, zone] of rows) {
    console.log(`read on ${today}: ${time} ${zone} is ${DateTime.fromISO(time, { zone }).toUTC().toISO()}`);
  }
}
PROGRAM

cat >stated.txt <<'OUTPUT'
read on 2026-07-01: 2026-10-25T01:30:00 Europe/London is 2026-10-25T00:30:00.000Z
read on 2026-07-01: 2026-11-01T01:30:00 America/New_York is 2026-11-01T05:30:00.000Z
read on 2026-12-01: 2026-10-25T01:30:00 Europe/London is 2026-10-25T01:30:00.000Z
read on 2026-12-01: 2026-11-01T01:30:00 America/New_York is 2026-11-01T06:30:00.000Z
OUTPUT

node run.mjs >seen.txt
cat seen.txt
if ! diff stated.txt seen.txt >&2; then
  echo "The output differs from the one stated here: look at this finding again." >&2
  exit 1
fi
