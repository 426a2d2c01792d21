"""Builds libmha_fwd.so and libmha_bwd.so into this directory: compile.py --api fwd|bwd (default: both)."""
import argparse
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../aiter"))
from jit.core import build_module  # noqa: E402

parser = argparse.ArgumentParser(prog="compile", description="compile the C++ libraries")
parser.add_argument("--api", default="", choices=("", "fwd", "bwd"))
args = parser.parse_args()

for api in [args.api] if args.api else ["fwd", "bwd"]:
    build_module(f"libmha_{api}")
