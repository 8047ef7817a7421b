#!/usr/bin/env bash
# Expected: // is integer division: a size of 7.6 holds 15 lots of 0.5.
# Happens: on decimals and doubles // divides in full and returns a double: 7.6 // 0.5 is 15.2, so size // lot * lot
#   gives the size back and rounds nothing. Only integers are cut, and those toward zero.
# Versions: duckdb 2.0.1 (PyPI), Python 3.11.
# Date: 2026-11-28
set -euo pipefail

command -v python3 >/dev/null || { echo "python3 is absent: this finding needs it."; exit 3; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check duckdb==2.0.1

cat >run.py <<'PROGRAM'
import duckdb

for kind in ("DECIMAL(10,2)", "DOUBLE"):
    for size, lot in (("7.6", "0.5"), ("7", "2")):
        [(lots, back, remainder, result)] = duckdb.sql(f"""
            select s // l, s // l * l, s % l, typeof(s // l)
            from (select '{size}'::{kind} as s, '{lot}'::{kind} as l)
        """).fetchall()
        print(f"{kind}: {size} // {lot} = {lots} ({result}), times lot {back:g}, remainder {float(remainder):g}")
[(up, down)] = duckdb.sql("select 7 // 2, -7 // 2").fetchall()
print(f"BIGINT: 7 // 2 = {up}, -7 // 2 = {down}")
PROGRAM

cat >stated.txt <<'OUTPUT'
DECIMAL(10,2): 7.6 // 0.5 = 15.2 (DOUBLE), times lot 7.6, remainder 0.1
DECIMAL(10,2): 7 // 2 = 3.5 (DOUBLE), times lot 7, remainder 1
DOUBLE: 7.6 // 0.5 = 15.2 (DOUBLE), times lot 7.6, remainder 0.1
DOUBLE: 7 // 2 = 3.5 (DOUBLE), times lot 7, remainder 1
BIGINT: 7 // 2 = 3, -7 // 2 = -3
OUTPUT

env/bin/python run.py >seen.txt
cat seen.txt
if ! diff stated.txt seen.txt >&2; then
  echo "The output differs from the one stated here: look at this finding again." >&2
  exit 1
fi
