#!/bin/sh
# ck_jit_compile.sh - CK JIT's command line for ckjit-compile, which has the same options:
# --blob-source S --blob-flags F --output SO, or --blob STEM. CK JIT's --cache-dir is ignored, as
# there.
self=$(readlink -f "$0" 2>/dev/null) || self=$0
here=$(dirname "$self")
left=$#
while [ "$left" -gt 0 ]; do
  case $1 in
    --cache-dir) shift && left=$((left - 1)) ;;
    --cache-dir=*) ;;
    *) set -- "$@" "$1" ;;
  esac
  [ $# -eq 0 ] || shift
  left=$((left - 1))
done
for program in "$here/ckjit-compile" "$here/ckjit/bin/ckjit-compile"; do
  [ ! -x "$program" ] || exec "$program" "$@"
done
echo "ck_jit_compile.sh: error: there is no ckjit-compile beside $here: expected it where" \
  "ck_jit_build.py --install-dir put both" >&2
exit 1
