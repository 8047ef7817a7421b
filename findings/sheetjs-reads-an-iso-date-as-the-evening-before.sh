#!/usr/bin/env bash
# Expected: a CSV date of 2026-11-01 becomes the cell 2026-11-01, wherever the program runs.
# Happens: SheetJS reads an ISO date as midnight UTC and stores it in local time. In New York the cell is 46326.83 and
#   prints as 10/31/26; the same day written 11/01/2026 is right. In Tokyo the day holds and nine hours are added.
# Versions: xlsx 0.18.5 (npm), Node.js 20.
# Date: 2026-11-28
set -euo pipefail

for tool in node npm; do
  command -v "$tool" >/dev/null || { echo "$tool is absent: this finding needs it."; exit 3; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
echo '{ "private": true }' >package.json
npm install --loglevel=error --no-audit --no-fund --ignore-scripts xlsx@0.18.5 >/dev/null

cat >run.mjs <<'PROGRAM'
import { spawnSync } from "node:child_process";
import XLSX from "xlsx";

if (process.argv[2] === "read") {
  for (const text of ["2026-11-01", "11/01/2026"]) {
    const book = XLSX.read(`date,index\n${text},100.5\n`, { type: "string" });
    const sheet = book.Sheets[book.SheetNames[0]];
    const day = XLSX.utils.sheet_to_csv(sheet).split("\n")[1].split(",")[0];
    console.log(`${process.env.TZ}: ${text} is cell ${sheet.A2.v.toFixed(2)}, printed ${day}`);
  }
} else {
  for (const TZ of ["UTC", "America/New_York", "Asia/Tokyo"]) {
    spawnSync(process.execPath, ["run.mjs", "read"], { env: { ...process.env, TZ }, stdio: "inherit" });
  }
}
PROGRAM

cat >stated.txt <<'OUTPUT'
UTC: 2026-11-01 is cell 46327.00, printed 11/1/26
UTC: 11/01/2026 is cell 46327.00, printed 11/1/26
America/New_York: 2026-11-01 is cell 46326.83, printed 10/31/26
America/New_York: 11/01/2026 is cell 46327.00, printed 11/1/26
Asia/Tokyo: 2026-11-01 is cell 46327.38, printed 11/1/26
Asia/Tokyo: 11/01/2026 is cell 46327.00, printed 11/1/26
OUTPUT

node run.mjs >seen.txt
cat seen.txt
if ! diff stated.txt seen.txt >&2; then
  echo "The output differs from the one stated here: look at this finding again." >&2
  exit 1
fi
