#!/usr/bin/env bash
# Expected: a day after noon in London is noon in London, also over the change of the clocks, as in Luxon and Moment.
# Happens: Day.js adds 24 hours and keeps the old offset: it prints 12:00+01:00 on a day when London is at +00:00
#   (11:00 there), so the time of day, its instant and, near midnight, the date are off.
# Versions: dayjs 1.11.23, luxon 3.7.2, moment-timezone 0.6.6 (npm), Node.js 20, zone UTC.
# Date: 2026-11-28
set -euo pipefail

for tool in node npm; do
  command -v "$tool" >/dev/null || { echo "$tool is absent: this finding needs it."; exit 3; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
echo '{ "private": true }' >package.json
npm install --loglevel=error --no-audit --no-fund --ignore-scripts dayjs@1.11.23 luxon@3.7.2 moment-timezone@0.6.6 >/dev/null

cat >run.mjs <<'PROGRAM'
import dayjs from "dayjs";
import timezone from "dayjs/plugin/timezone.js";
import utc from "dayjs/plugin/utc.js";
import { DateTime } from "luxon";
import moment from "moment-timezone";

dayjs.extend(utc);
dayjs.extend(timezone);
const zone = "Europe/London";
for (const at of ["2026-10-24T11:00:00Z", "2026-10-24T23:30:00Z", "2027-03-27T12:00:00Z"]) {
  const next = dayjs(at).tz(zone).add(1, "day");
  console.log(`${dayjs(at).tz(zone).format()} and a day`);
  console.log(`  dayjs  ${next.format()} = ${next.toISOString()}, read back: ${dayjs(next.toISOString()).tz(zone).format()}`);
  const luxon = DateTime.fromISO(at, { zone }).plus({ days: 1 });
  console.log(`  luxon  ${luxon.toISO({ suppressMilliseconds: true })} = ${luxon.toUTC().toISO()}`);
  const other = moment(at).tz(zone).add(1, "day");
  console.log(`  moment ${other.format()} = ${other.toISOString()}`);
}
PROGRAM

cat >stated.txt <<'OUTPUT'
2026-10-24T12:00:00+01:00 and a day
  dayjs  2026-10-25T12:00:00+01:00 = 2026-10-25T11:00:00.000Z, read back: 2026-10-25T11:00:00Z
  luxon  2026-10-25T12:00:00+00:00 = 2026-10-25T12:00:00.000Z
  moment 2026-10-25T12:00:00Z = 2026-10-25T12:00:00.000Z
2026-10-25T00:30:00+01:00 and a day
  dayjs  2026-10-26T00:30:00+01:00 = 2026-10-25T23:30:00.000Z, read back: 2026-10-25T23:30:00Z
  luxon  2026-10-26T00:30:00+00:00 = 2026-10-26T00:30:00.000Z
  moment 2026-10-26T00:30:00Z = 2026-10-26T00:30:00.000Z
2027-03-27T12:00:00Z and a day
  dayjs  2027-03-28T12:00:00Z = 2027-03-28T12:00:00.000Z, read back: 2027-03-28T13:00:00+01:00
  luxon  2027-03-28T12:00:00+01:00 = 2027-03-28T11:00:00.000Z
  moment 2027-03-28T12:00:00+01:00 = 2027-03-28T11:00:00.000Z
OUTPUT

TZ=UTC node run.mjs >seen.txt
cat seen.txt
if ! diff stated.txt seen.txt >&2; then
  echo "The output differs from the one stated here: look at this finding again." >&2
  exit 1
fi
