#!/bin/sh
# ckjit-compile runs out of memory, wherever: it says so and leaves no directory and no lock.
# tier: check
# seconds: 1
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
need prlimit
many lib 1
out=0 whole=0
for kib in $(seq 3000 250 40000); do
  rm -rf "$CK_JIT_CACHE_DIR"
  status=0
  prlimit --as=$((kib * 1024)) "$T/lib/ck_jit/ckjit-compile" --blob-source "$T/lib/ck_jit/src/k0.cu" --cache --output "$CK_JIT_CACHE_DIR/k0.so" \
    --blob-flags "--log=$T/lib/log --template=$T/lib/template.so --control=$T/lib/control" >"$T/out" 2>&1 || status=$?
  is "what $kib KiB leave" "" "$(find "$CK_JIT_CACHE_DIR" "$T/lib" -name '.tmp-*' -o -name '.ckjit-tmp-*' 2>/dev/null)"
  [ $status != 0 ] || whole=$((whole + 1))
  ! grep -q 'out of memory' "$T/out" || out=$((out + 1))
  [ $whole -lt 5 ] || break
done
[ $out -gt 0 ] || fail "memory never ran out"
[ $whole = 5 ] || fail "there was never enough"
