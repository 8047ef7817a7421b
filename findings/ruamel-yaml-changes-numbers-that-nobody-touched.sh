#!/usr/bin/env bash
# Expected: the round-trip mode writes each untouched value as it was in the file.
# Happens: numbers with a point come back from a double: 0.1234567890123456789 and 123456789012345678.1 get other
#   digits, and 1_000.50 becomes 01000.50. Editing one key of a configuration rewrites such limits elsewhere in it.
# Versions: ruamel.yaml 0.19.1 (PyPI), Python 3.11.
# Date: 2026-11-28
set -euo pipefail

command -v python3 >/dev/null || { echo "python3 is absent: this finding needs it."; exit 3; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check ruamel.yaml==0.19.1

cat >run.py <<'PROGRAM'
import io

from ruamel.yaml import YAML

SOURCE = """name: first
price: 216.910
limit: 1_000.50
count: 1_000_000
ratio: 0.1234567890123456789
total: 123456789012345678.1
"""
yaml = YAML()
document = yaml.load(SOURCE)
document["name"] = "second"
written = io.StringIO()
yaml.dump(document, written)
for before, after in zip(SOURCE.splitlines(), written.getvalue().splitlines()):
    print(f"{before} -> {after}")
PROGRAM

cat >stated.txt <<'OUTPUT'
name: first -> name: second
price: 216.910 -> price: 216.910
limit: 1_000.50 -> limit: 01000.50
count: 1_000_000 -> count: 1_000_000
ratio: 0.1234567890123456789 -> ratio: 0.1234567890123456774
total: 123456789012345678.1 -> total: 123456789012345680.0
OUTPUT

env/bin/python run.py >seen.txt
cat seen.txt
if ! diff stated.txt seen.txt >&2; then
  echo "The output differs from the one stated here: look at this finding again." >&2
  exit 1
fi
