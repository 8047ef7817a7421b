#!/usr/bin/env bash
# Expected: read_csv with a decimal column type reads the digits of the file, as pyarrow does on its own.
# Happens: with engine="pyarrow" pandas reads the column as doubles first and makes decimals of those: 0.1 becomes
#   0.100000000000000006, and an amount with 38 digits keeps 17. The type says exact; no warning appears.
# Versions: pandas 3.1.1, pyarrow 26.0.1 (PyPI), Python 3.11.
# Date: 2026-11-28
set -euo pipefail

command -v python3 >/dev/null || { echo "python3 is absent: this finding needs it."; exit 3; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check pandas==3.1.1 pyarrow==26.0.1

cat >run.py <<'PROGRAM'
import pandas
import pyarrow
import pyarrow.csv

with open("amounts.csv", "w") as file:
    file.write("amount\n0.1\n216.91\n12345678901234567890.123456789012345678\n")
exact = pyarrow.decimal128(38, 18)
by_pandas = pandas.read_csv("amounts.csv", engine="pyarrow", dtype={"amount": pandas.ArrowDtype(exact)})
options = pyarrow.csv.ConvertOptions(column_types={"amount": exact})
by_arrow = pyarrow.csv.read_csv("amounts.csv", convert_options=options)
print(by_pandas["amount"].dtype)
for mine, theirs in zip(by_pandas["amount"], by_arrow["amount"].to_pylist()):
    print(f"pandas {mine} pyarrow {theirs}")
PROGRAM

cat >stated.txt <<'OUTPUT'
decimal128(38, 18)[pyarrow]
pandas 0.100000000000000006 pyarrow 0.100000000000000000
pandas 216.909999999999996589 pyarrow 216.910000000000000000
pandas 12345678901234567168.000000000000000000 pyarrow 12345678901234567890.123456789012345678
OUTPUT

env/bin/python run.py >seen.txt
cat seen.txt
if ! diff stated.txt seen.txt >&2; then
  echo "The output differs from the one stated here: look at this finding again." >&2
  exit 1
fi
