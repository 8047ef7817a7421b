#!/usr/bin/env bash
# Expected: a daily job at 01:30 in London runs once on each day of the year, whatever the library; at most its time
#   differs when the clocks change.
# Happens: when the clocks go back, @breejs/later, croniter and APScheduler run it twice, croner and cron-parser once.
#   When they go forward, @breejs/later leaves the day out; the others run at 01:00 or 01:30 UTC.
# Versions: croner 11.0.1, cron-parser 5.10.6, @breejs/later 4.2.0 (npm), croniter 7.0.0, APScheduler 3.11.3 (PyPI),
#   Node.js 20, Python 3.11.
# Date: 2026-11-28
set -euo pipefail

for tool in node npm python3; do
  command -v "$tool" >/dev/null || { echo "$tool is absent: this finding needs it."; exit 3; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
echo '{ "private": true }' >package.json
npm install --loglevel=error --no-audit --no-fund --ignore-scripts croner@11.0.1 cron-parser@5.10.6 @breejs/later@4.2.0 >/dev/null
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check croniter==7.0.0 APScheduler==3.11.3

cat >run.mjs <<'PROGRAM'
import later from "@breejs/later";
import { CronExpressionParser } from "cron-parser";
import { Cron } from "croner";

const line = "30 1 * * *";
const zone = "Europe/London";
const days = [
  ["2026-10-25", "2026-10-24T23:00:00Z", "2026-10-26T00:00:00Z"],
  ["2027-03-28", "2027-03-28T00:00:00Z", "2027-03-28T23:00:00Z"],
].map(([day, from, until]) => [day, new Date(from), new Date(until)]);

function within(next, from, until) {
  const found = [];
  for (let at = next(new Date(from.getTime() - 1000)); at < until; at = next(at)) found.push(at);
  return found;
}
later.date.localTime();
const libraries = {
  croner: (from, until) => within((at) => new Cron(line, { timezone: zone, paused: true }).nextRun(at), from, until),
  "cron-parser": (from, until) =>
    within((at) => CronExpressionParser.parse(line, { currentDate: at, tz: zone }).next().toDate(), from, until),
  "@breejs/later": (from, until) =>
    [later.schedule(later.parse.cron(line)).next(9, from, new Date(until.getTime() - 1))].flat().filter(Boolean),
};
for (const [name, runs] of Object.entries(libraries)) {
  const text = days.map(([day, from, until]) => {
    const times = runs(from, until).map((at) => at.toISOString().slice(11, 16));
    return `${day} ${[`${times.length}x`, ...times].join(" ")}`;
  });
  console.log(`${name}: ${text.join(", ")}`);
}
PROGRAM

cat >run.py <<'PROGRAM'
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from apscheduler.triggers.cron import CronTrigger
from croniter import croniter

LINE = "30 1 * * *"
LONDON = ZoneInfo("Europe/London")
UTC = timezone.utc
DAYS = [
    ("2026-10-25", datetime(2026, 10, 24, 23, tzinfo=UTC), datetime(2026, 10, 26, tzinfo=UTC)),
    ("2027-03-28", datetime(2027, 3, 28, tzinfo=UTC), datetime(2027, 3, 28, 23, tzinfo=UTC)),
]


def by_croniter(start, until):
    runs = croniter(LINE, (start - timedelta(seconds=1)).astimezone(LONDON))
    while (at := runs.get_next(datetime).astimezone(UTC)) < until:
        yield at


def by_apscheduler(start, until):
    trigger = CronTrigger.from_crontab(LINE, timezone=LONDON)
    previous, now = None, start.astimezone(LONDON)
    while (previous := trigger.get_next_fire_time(previous, now)).astimezone(UTC) < until:
        yield previous.astimezone(UTC)
        now = previous


for name, runs in (("croniter", by_croniter), ("APScheduler", by_apscheduler)):
    texts = []
    for day, start, until in DAYS:
        times = [at.strftime("%H:%M") for at in runs(start, until)]
        texts.append(" ".join([day, f"{len(times)}x", *times]))
    print(f"{name}: {', '.join(texts)}")
PROGRAM

cat >stated.txt <<'OUTPUT'
croner: 2026-10-25 1x 00:30, 2027-03-28 1x 01:00
cron-parser: 2026-10-25 1x 00:30, 2027-03-28 1x 01:30
@breejs/later: 2026-10-25 2x 00:30 01:30, 2027-03-28 0x
croniter: 2026-10-25 2x 00:30 01:30, 2027-03-28 1x 01:00
APScheduler: 2026-10-25 2x 00:30 01:30, 2027-03-28 1x 01:30
OUTPUT

{
  TZ=Europe/London node run.mjs
  TZ=Europe/London env/bin/python run.py
} >seen.txt
cat seen.txt
if ! diff stated.txt seen.txt >&2; then
  echo "The output differs from the one stated here: look at this finding again." >&2
  exit 1
fi
