#!/bin/sh
# An fsync that takes longer than the patience of those who wait: the holder is alive, and they wait for it. One compile.
# tier: all
# seconds: 6
. "${0%/*}/common.sh"
. "$here/unit/shim_fixture.sh"
need strace
unset CK_JIT_ROOT CK_JIT_MANIFEST CK_JIT_VERBOSE CK_JIT_ARCH CK_JIT_CACHE_DIR CK_JIT_COMPILER_LAUNCHER
export CK_JIT_KFD_ROOT="$T/no-gpus"
shim "$T/fast" 1 "$T/template.so"
strace -qq -o /dev/null -e inject=getpid:error=EPERM true || skip "strace cannot be used here"
cd "$T"
echo 5 >k.cu
: >log

# compile SECONDS [COMMAND…]: one whose patience is that
compile() {
  CK_JIT_LOCK_PATIENCE=$1
  export CK_JIT_LOCK_PATIENCE
  shift
  "$@" "$B/bin/ckjit-compile" --hipcc "$T/fast" --blob-source "$T/k.cu" --cache --output "$T/cache/k.so" \
    --blob-flags "--log=$T/log --template=$T/template.so --control=$T --sleep=1"
}
# Where no processor is left for the sign of life either, it is tried again with more patience.
for patience in 1 4 16; do
  rm -rf cache
  : >log
  compile $patience strace -f -qq -o trace -e trace=fsync -e inject=fsync:delay_enter=$((patience * 3))s >holder 2>&1 &
  await 'it does not come to its fsync' grep -qs 'fsync(' trace
  compile $patience >waiter 2>&1 || fail "the one that waits: $(cat waiter)"
  wait $! || fail "the one with the slow disk: $(cat holder)"
  [ -z "$(find cache -name '.tmp-*' -o -path '*/.locks/*')" ] || fail "left: $(find cache)"
  compiles=$(grep -c '^start' log)
  [ "$compiles" != 1 ] || break
done
[ "$compiles" = 1 ] || fail "$compiles compiles: $(cat waiter)"
lacks 'the holder was given up' 'sign of life' waiter
