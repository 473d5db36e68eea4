#!/bin/bash
# Makes the Python environment that some tests compare with, in the folder given: NumPy from PyPI.
# Tests run without it, on stored values; a build never needs it. Says why it can't be had.
set -euo pipefail

folder=$1
[[ -x $folder/bin/python ]] && "$folder/bin/python" -c 'import numpy' 2>/dev/null && exit 0
command -v python3 >/dev/null || { echo "there is no python3"; exit 1; }
part=$folder.$$
trap 'rm -rf "$part"' EXIT
python3 -m venv "$part" >/dev/null 2>&1 || { echo "python3 can't make an environment (Debian: python3-venv)"; exit 1; }
"$part/bin/python" -m pip install -q --disable-pip-version-check --retries 1 --timeout 20 numpy >/dev/null 2>&1 ||
  { echo "pip can't install NumPy (no network?)"; exit 1; }
rm -rf "$folder"
mv "$part" "$folder"
