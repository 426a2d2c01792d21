#!/bin/sh
# Flags whose order a key ignores commute, as nvcc says: macros of different names, among all other options.
# tier: all
. "${0%/*}/common.sh"
need python3
need_nvcc
unset NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS
python3 "$here/keys/commute.py" "$B/test/unit/commute" "$T" "$nvcc" nvcc || fail 'a key and nvcc differ about the order of flags'
