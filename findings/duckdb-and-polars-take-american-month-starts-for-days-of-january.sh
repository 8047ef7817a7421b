#!/usr/bin/env bash
# Expected: the dates of a monthly file, 01/01/2026, 02/01/2026 and so on, fit both orders; DuckDB, Polars and pandas
#   all read the month first, or leave them as text.
# Happens: DuckDB and Polars read the day first and pandas the month first. The twelve months of an American index
#   file are twelve days of January in the former; those of a British file (01/01, 01/02, ...) are twelve days of
#   January in pandas. None of them warns.
# Versions: duckdb 2.0.1, polars 2.1.0, pandas 3.1.1 (PyPI), Python 3.11.
# Date: 2026-11-28
set -euo pipefail

command -v python3 >/dev/null || { echo "python3 is absent: this finding needs it."; exit 3; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check duckdb==2.0.1 polars==2.1.0 pandas==3.1.1

cat >run.py <<'PROGRAM'
import duckdb
import pandas
import polars

FILES = {"american.csv": "{month:02d}/01/2026", "british.csv": "01/{month:02d}/2026"}
for name, form in FILES.items():
    with open(name, "w") as file:
        file.write("date,index\n")
        for month in range(1, 13):
            file.write(f"{form.format(month=month)},{100 + month}\n")
    read = {
        "DuckDB": [row[0] for row in duckdb.sql(f"select date from '{name}'").fetchall()],
        "Polars": polars.read_csv(name, try_parse_dates=True)["date"].to_list(),
        "pandas": pandas.read_csv(name, parse_dates=["date"])["date"].tolist(),
    }
    for tool, dates in read.items():
        print(f"{name} {tool}: {len({day.month for day in dates})} months, last {dates[-1]:%Y-%m-%d}")
PROGRAM

cat >stated.txt <<'OUTPUT'
american.csv DuckDB: 1 months, last 2026-01-12
american.csv Polars: 1 months, last 2026-01-12
american.csv pandas: 12 months, last 2026-12-01
british.csv DuckDB: 12 months, last 2026-12-01
british.csv Polars: 12 months, last 2026-12-01
british.csv pandas: 1 months, last 2026-01-12
OUTPUT

env/bin/python run.py >seen.txt
cat seen.txt
if ! diff stated.txt seen.txt >&2; then
  echo "The output differs from the one stated here: look at this finding again." >&2
  exit 1
fi
