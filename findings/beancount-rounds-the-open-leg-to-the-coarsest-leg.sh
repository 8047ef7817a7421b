#!/usr/bin/env bash
# Expected: the leg that is left empty is the exact sum of the others, and legs that differ by two cents are refused.
# Happens: beancount rounds the leg that it fills to the fewest digits of any leg: 1000.123456 and a fee of 0.5 make
#   -1000.6. Typed out, the same entry passes its check, 0.023456 off. Written as 0.500000, the fee makes both exact.
# Versions: beancount 3.2.3 (PyPI), Python 3.11.
# Date: 2026-11-28
set -euo pipefail

command -v python3 >/dev/null || { echo "python3 is absent: this finding needs it."; exit 3; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check beancount==3.2.3

cat >run.py <<'PROGRAM'
from beancount import loader
from beancount.core.data import Transaction

ACCOUNTS = """
2026-01-01 open Assets:Cash
2026-01-01 open Expenses:Fees
2026-01-01 open Equity:Opening
"""


def book(fee, equity):
    entries, errors, _ = loader.load_string(f"""{ACCOUNTS}
2026-01-02 * "Deposit"
  Assets:Cash      1000.123456 USDC
  Expenses:Fees    {fee} USDC
  Equity:Opening   {equity}
""")
    legs = [str(leg.units) for entry in entries if isinstance(entry, Transaction) for leg in entry.postings]
    print(f"fee {fee}, equity {equity or 'empty'}: {' | '.join(legs)}: {[error.message for error in errors] or 'accepted'}")


book("0.5", "")
book("0.500000", "")
book("0.5", "-1000.60 USDC")
book("0.500000", "-1000.60 USDC")
PROGRAM

cat >stated.txt <<'OUTPUT'
fee 0.5, equity empty: 1000.123456 USDC | 0.5 USDC | -1000.6 USDC: accepted
fee 0.500000, equity empty: 1000.123456 USDC | 0.500000 USDC | -1000.623456 USDC: accepted
fee 0.5, equity -1000.60 USDC: 1000.123456 USDC | 0.5 USDC | -1000.60 USDC: accepted
fee 0.500000, equity -1000.60 USDC: 1000.123456 USDC | 0.500000 USDC | -1000.60 USDC: ['Transaction does not balance: (0.023456 USDC)']
OUTPUT

env/bin/python run.py >seen.txt
cat seen.txt
if ! diff stated.txt seen.txt >&2; then
  echo "The output differs from the one stated here: look at this finding again." >&2
  exit 1
fi
