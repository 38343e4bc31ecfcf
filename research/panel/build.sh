#!/bin/sh
# Build closedhand 0.16 from the history of this repository, and install the agents `frozen:…`.
set -eu
cd "$(dirname "$0")"
source=$(mktemp -d)
trap 'rm -rf "$source"' EXIT
git -C ../.. archive 8221e11 | tar -x -C "$source"
python3 -m venv .venv
.venv/bin/pip install -q -c "$source/constraints.txt" "$source[play]"
../../.venv/bin/pip install -q --no-deps -e .
