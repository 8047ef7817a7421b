#!/usr/bin/env bash
# Expected: the best year, worst year and share of winning years cover each year that the table of the same object
#   shows.
# Happens: ffn compares year ends only, so the first calendar year is absent: a record of +20 % in 2025 and -10 %
#   since then has a best year of -10 % and 0 % winning years, beside a table that shows +20 %.
# Versions: ffn 1.4.1, pandas 3.1.1, numpy 2.4.6 (PyPI), Python 3.11.
# Date: 2026-11-28
set -euo pipefail

command -v python3 >/dev/null || { echo "python3 is absent: this finding needs it."; exit 3; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check ffn==1.4.1 pandas==3.1.1 numpy==2.4.6

cat >run.py <<'PROGRAM'
import warnings

warnings.filterwarnings("ignore")
import ffn
import numpy
import pandas

days = pandas.date_range("2025-01-01", "2026-10-31")
year_end = days.get_loc("2025-12-31")
prices = numpy.interp(range(len(days)), [0, year_end, len(days) - 1], [100, 120, 108])
record = ffn.PerformanceStats(pandas.Series(prices, index=days))
for name in ("best_year", "worst_year", "win_year_perc"):
    print(f"{name} {record.stats[name]:.1%}")
for year, row in record.return_table.iterrows():
    print(f"table {year} {row['YTD']:.1%}")
PROGRAM

cat >stated.txt <<'OUTPUT'
best_year -10.0%
worst_year -10.0%
win_year_perc 0.0%
table 2025 20.0%
table 2026 -10.0%
OUTPUT

env/bin/python run.py >seen.txt
cat seen.txt
if ! diff stated.txt seen.txt >&2; then
  echo "The output differs from the one stated here: look at this finding again." >&2
  exit 1
fi
