#!/usr/bin/env bash
# Expected: on-balance volume stays where it is when the close is unchanged, as in TA-Lib.
# Happens: ta counts an unchanged close as a rise and adds its whole volume. In a quiet market, where most closes
#   repeat, the line climbs without any rise of the price.
# Versions: ta 0.11.0 (pandas 3.1.1, numpy 2.4.6), TA-Lib 0.8.2 (PyPI), Python 3.11.
# Date: 2026-11-28
set -euo pipefail

command -v python3 >/dev/null || { echo "python3 is absent: this finding needs it."; exit 3; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check ta==0.11.0 pandas==3.1.1 numpy==2.4.6 TA-Lib==0.8.2

cat >run.py <<'PROGRAM'
import numpy
import pandas
import talib
from ta.volume import OnBalanceVolumeIndicator

close = [100.0, 100.0, 100.0, 99.0, 99.0, 99.0]
volume = [10.0, 20.0, 30.0, 40.0, 50.0, 60.0]
ta = OnBalanceVolumeIndicator(pandas.Series(close), pandas.Series(volume)).on_balance_volume()
print("ta    ", *map(int, ta))
print("TA-Lib", *map(int, talib.OBV(numpy.array(close), numpy.array(volume))))
PROGRAM

cat >stated.txt <<'OUTPUT'
ta     10 30 60 20 70 130
TA-Lib 10 10 10 -30 -30 -30
OUTPUT

env/bin/python run.py >seen.txt
cat seen.txt
if ! diff stated.txt seen.txt >&2; then
  echo "The output differs from the one stated here: look at this finding again." >&2
  exit 1
fi
