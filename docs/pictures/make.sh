#!/bin/sh
# make.sh [TRACE] - docs/pictures/trace.png anew: the page of `ckjit trace view` in Chromium, of TRACE, or of a new trace of examples/mini-aiter: two
# processes call one kernel for the first time, then one calls all. `make pictures` does it. Needs what `make demo` needs, and chromium.
set -eu
here=$(cd "${0%/*}" && pwd)
top=$(cd "$here/../.." && pwd)
B=$(cd "${B:-$top/build}" && pwd)
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
trap 'exit 1' HUP INT TERM
if [ $# -gt 0 ]; then
  cp "$1" "$T/trace.json"
else
  cp -r "$top/examples/mini-aiter" "$T/aiter"
  export MINI_AITER_SMALL=1 CK_JIT_CACHE_DIR="$T/cache" CK_JIT_WARM=0
  "$B/bin/ckjit-build" full --aiter-dir "$T/aiter" --gpu-archs gfx90a --tmp-dir "$T/w" --install-dir "$T/i"
  export CK_JIT_TRACE="$T/trace.json"
  python3 "$T/aiter/check.py" "$T/i" --only fwd_d64_bf16_nbias_mask_lse &
  python3 "$T/aiter/check.py" "$T/i" --only fwd_d64_bf16_nbias_mask_lse
  wait
  python3 "$T/aiter/check.py" "$T/i"
fi
"$B/bin/ckjit" trace view "$T/trace.json"
HOME=$T chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --user-data-dir="$T/profile" --hide-scrollbars \
  --window-size=1180,"${HEIGHT:-760}" --screenshot="$T/trace.png" "file://$T/trace.html" 2>"$T/said" || {
  cat "$T/said" >&2
  exit 1
}
size=$(wc -c <"$T/trace.png")
[ "$size" -lt 150000 ] || {
  echo "make.sh: trace.png has $size bytes; expected less than 150000: a lower HEIGHT" >&2
  exit 1
}
cp "$T/trace.png" "$here/trace.png"
