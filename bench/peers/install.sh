#!/bin/sh
# Puts the libraries that cpu.py compares with into bench/peers/.venv, from PyPI; nothing else uses them.
set -e
cd "$(dirname "$0")"
python3 -m venv .venv
.venv/bin/pip install --quiet numpy numexpr jax pytensor
# PyTorch's builds for the CPU alone are a tenth of the size; where their index can't be had, it is left out.
.venv/bin/pip install --quiet torch --index-url https://download.pytorch.org/whl/cpu || echo "PyTorch is left out"
echo "now run: .venv/bin/python cpu.py"
