#!/usr/bin/env bash
# Expected: where a cash flow has two internal rates of return, the libraries name the same one, or none.
# Happens: for -100, 230, -132 (zero at 10 % and at 20 %) numpy_financial and two npm packages say 10 %, pyxirr says
#   20 %, and none of them mentions the other rate.
# Versions: numpy-financial 1.0.0, pyxirr 0.10.8 (PyPI), financial 0.2.4, node-irr 2.0.5 (npm), Node.js 20, Python
#   3.11.
# Date: 2026-11-28
set -euo pipefail

for tool in node npm python3; do
  command -v "$tool" >/dev/null || { echo "$tool is absent: this finding needs it."; exit 3; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
echo '{ "private": true }' >package.json
npm install --loglevel=error --no-audit --no-fund --ignore-scripts financial@0.2.4 node-irr@2.0.5 >/dev/null
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check numpy-financial==1.0.0 pyxirr==0.10.8 numpy==2.4.6

cat >run.mjs <<'PROGRAM'
import { irr as financial } from "financial";
import { irr as nodeIrr } from "node-irr";

const flows = [-100, 230, -132];
console.log(`financial ${financial(flows).toFixed(6)}`);
console.log(`node-irr ${nodeIrr(flows).toFixed(6)}`);
PROGRAM

cat >run.py <<'PROGRAM'
import numpy_financial
import pyxirr

FLOWS = [-100, 230, -132]
print(f"numpy_financial {numpy_financial.irr(FLOWS):.6f}")
print(f"pyxirr {pyxirr.irr(FLOWS):.6f}")
for rate in (0.1, 0.2):
    print(f"value at {rate:.0%}: {abs(pyxirr.npv(rate, FLOWS)):.6f}")
PROGRAM

cat >stated.txt <<'OUTPUT'
financial 0.100000
node-irr 0.100000
numpy_financial 0.100000
pyxirr 0.200000
value at 10%: 0.000000
value at 20%: 0.000000
OUTPUT

{
  node run.mjs
  env/bin/python run.py
} >seen.txt
cat seen.txt
if ! diff stated.txt seen.txt >&2; then
  echo "The output differs from the one stated here: look at this finding again." >&2
  exit 1
fi
