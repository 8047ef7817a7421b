#!/usr/bin/env bash
# Expected: the median of two decimal prices is the price halfway: 216.915 for 216.91 and 216.92.
# Happens: DuckDB keeps the scale of the column and cuts: the median is 216.91, and the median absolute deviation of
#   0.01 and 0.02 is 0.00. The same column as double gives 216.915 and 0.005, and so does Polars for the median.
# Versions: duckdb 2.0.1, polars 2.1.0 (PyPI), Python 3.11.
# Date: 2026-11-28
set -euo pipefail

command -v python3 >/dev/null || { echo "python3 is absent: this finding needs it."; exit 3; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check duckdb==2.0.1 polars==2.1.0

cat >run.py <<'PROGRAM'
from decimal import Decimal

import duckdb
import polars

for low, high in (("216.91", "216.92"), ("0.01", "0.02"), ("-0.02", "-0.01")):
    for kind in ("DECIMAL(10,2)", "DOUBLE"):
        [row] = duckdb.sql(f"""
            select median(p), quantile_cont(p, 0.75), mad(p), avg(p)
            from (values ('{low}'::{kind}), ('{high}'::{kind})) prices(p)
        """).fetchall()
        median, upper, spread, mean = (float(value) for value in row)
        print(f"{low} {high} {kind}: median {median:g}, 75 % {upper:g}, deviation {spread:g}, mean {mean:g}")
    column = polars.Series([Decimal(low), Decimal(high)], dtype=polars.Decimal(10, 2))
    print(f"{low} {high} Polars: median {float(column.median()):g}")
PROGRAM

cat >stated.txt <<'OUTPUT'
216.91 216.92 DECIMAL(10,2): median 216.91, 75 % 216.91, deviation 0, mean 216.915
216.91 216.92 DOUBLE: median 216.915, 75 % 216.917, deviation 0.005, mean 216.915
216.91 216.92 Polars: median 216.915
0.01 0.02 DECIMAL(10,2): median 0.01, 75 % 0.01, deviation 0, mean 0.015
0.01 0.02 DOUBLE: median 0.015, 75 % 0.0175, deviation 0.005, mean 0.015
0.01 0.02 Polars: median 0.015
-0.02 -0.01 DECIMAL(10,2): median -0.01, 75 % -0.01, deviation 0, mean -0.015
-0.02 -0.01 DOUBLE: median -0.015, 75 % -0.0125, deviation 0.005, mean -0.015
-0.02 -0.01 Polars: median -0.015
OUTPUT

env/bin/python run.py >seen.txt
cat seen.txt
if ! diff stated.txt seen.txt >&2; then
  echo "The output differs from the one stated here: look at this finding again." >&2
  exit 1
fi
