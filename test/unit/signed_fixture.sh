# signed_fixture.sh - a compiler, and compiles that may fetch signed entries: sourced by tests of signatures and of storage
# shellcheck shell=sh disable=SC2034
#
# The working directory becomes $T. $prebuild is ckjit-prebuild; $T/k.cu is a kernel.
#
#   compile CACHE               k, into CACHE; $compiles: how often the compiler ran so far; $ms: how long it took
#   fetched WHAT                k comes from elsewhere, and is the entry of the cache $made (default: made)
#   refused WHAT WORDS          it does not come from there: it is compiled, and the words are said
# shellcheck source=SCRIPTDIR/shim_fixture.sh
. "${here:?}/unit/shim_fixture.sh"
unset CK_JIT_ROOT CK_JIT_MANIFEST CK_JIT_VERBOSE CK_JIT_ARCH CK_JIT_CACHE_DIR CK_JIT_COMPILER_LAUNCHER CK_JIT_CACHE_READONLY_DIR
export CK_JIT_KFD_ROOT="$T/no-gpus"
shim "$T/fast" 1 "$T/template.so"
prebuild=$B/bin/ckjit-prebuild
cd "$T" || exit
echo 5 >k.cu
: >log
compile() {
  began_=$(date +%s%N)
  "$B/bin/ckjit-compile" --hipcc "$T/fast" --blob-source "$T/k.cu" --cache --output "$T/$1/k.so" \
    --blob-flags "--log=$T/log --template=$T/template.so" >said 2>&1 || fail "$(cat said)"
  ms=$((($(date +%s%N) - began_) / 1000000))
  compiles=$(grep -c '^start' log)
}
fetched() {
  before_=$compiles
  rm -rf cache
  compile cache
  is "$1: compiles" "$before_" "$compiles"
  cmp -s cache/k.so "${made:-made}/k.so" || fail "$1: another file"
}
refused() {
  before_=$compiles
  rm -rf cache
  compile cache
  is "$1: compiles" $((before_ + 1)) "$compiles"
  has "$1" "$2" said
}
