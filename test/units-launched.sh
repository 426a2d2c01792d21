#!/bin/sh
# A lazy unit behind ccache: the second build gets its object from there, and the link finds its text in it, for the work directory's is gone; of an
# archive and of what `ld -r` made, too. Its kernels are compiled when they are launched, and have their names. What the object is made from
# decides about a hit: an edited header, other options, CK_JIT_UNITS=0, another build directory are none. So for HIP and, if there is an nvcc, CUDA.
# tier: long
# seconds: 25
. "${0%/*}/common.sh"
need ccache objcopy
export CCACHE_DIR="$T/ccache"
unset CCACHE_DISABLE CCACHE_CONFIGPATH CCACHE_RECACHE CCACHE_DEPEND CCACHE_BASEDIR CCACHE_NODIRECT

# counts WHAT HITS/MISSES: since the last time
counts() {
  found=$(ccache --print-stats | awk '/^(direct|preprocessed)_cache_hit/ { h += $2 } /^cache_miss/ { m = $2 } END { print h + 0 "/" m + 0 }')
  [ "$found" = "$2" ] || fail "$1: hits/misses $found, not $2: $(ccache --print-stats | grep -v "[[:space:]]0$")"
  ccache -z >/dev/null
}
# sections of an object, without those of lazy units
embeds() {
  readelf -SW "$1" | grep -c ' \.ckjit\.text '
}
forget() {
  rm -rf home/work/.units home/work/manifest.json.ndjson home/work/libunits home/work/trees cache a.o libunits.so
}

hip() (
  . "$here/unit/hip_fixture.sh"
  two_units
  has 'without a launcher' '2 ordinary units, lazy' err
  is 'the text, without a launcher' 0 "$(embeds a.o || :)"
  compile() {
    as_build ccache hipcc -std=c++17 -O2 -fPIC -fvisibility=hidden --offload-arch=gfx90a "$@" -c a.hip -o a.o || fail "a.hip: $(cat err)"
  }
  # right WHAT INPUT…: the library of these launches a's kernels, both compiled now
  right() {
    what=$1
    shift
    rm -rf cache libunits.so
    as_build hipcc -shared -o libunits.so "$@" b.o || fail "$what: link: $(cat err)"
    lacks "$what: the text in the library" '\.ckjit\.text' libunits.so
    CK_JIT_VERBOSE=1 run ./main a0 a1 >got 2>said || fail "$what: $(cat got said)"
    is "$what" "$(printf 'a0 0\na1 0\n')" "$(cat got)"
    is "$what: compiled" 2 "$(grep -c ': compiled in' said)"
  }
  names() {
    CK_JIT_MANIFEST=home/work/libunits/ck_jit_manifest.json "$B/bin/ckjit-prebuild" list --kernels >listed 2>&1 || fail "$1: $(cat listed)"
    is "$1: names" "$2" "$(grep -c "$(printf '\t')void times_a<3>(int\*)" listed)"
  }
  export CK_JIT_VERBOSE=0
  rm a.o
  ccache -z >/dev/null
  compile
  counts 'the first build' 0/1
  is 'the text, behind a launcher' 1 "$(embeds a.o)"
  right 'the first build' a.o
  names 'the first build' 1
  cp a.o first.o
  as_build hipcc -std=c++17 -O2 -fPIC -fvisibility=hidden --offload-arch=gfx90a -c b.hip -o b.o || fail "b: $(cat err)" # its text stays
  mv home/work/.units kept
  key=$(strings -n 40 a.o | sed -n 's/^CKJTUNIT//p')
  for form in object archive 'partial link'; do
    rm -rf home/work/.units a.o a.a r.o
    mkdir home/work/.units
    cp kept/*.text home/work/.units
    rm "home/work/.units/$key.text"
    compile
    counts "the second build, $form" 1/0
    cmp a.o first.o || fail "the second build, $form: another object"
    [ ! -e "home/work/.units/$key.text" ] || fail "the second build, $form: its text was made"
    case $form in
    object) right "$form" a.o && names "$form" 1 ;;
    archive) ar rc a.a a.o && right "$form" -Wl,--whole-archive a.a -Wl,--no-whole-archive && names "$form" 1 ;;
    partial*) ld -r a.o -o r.o && right "$form" r.o ;;
    esac
    cmp "kept/$key.text" "home/work/.units/$key.text" || fail "$form: another text"
  done

  # what is no hit
  sed -i 's/= 1/= 3/' a.hip
  compile
  counts 'another source' 0/1
  compile -DX
  counts 'other options' 0/1
  mkdir other
  cp a.hip other
  (cd other && compile)
  counts 'another build directory' 0/1
  CK_JIT_UNITS=0 compile
  counts 'no lazy units' 0/1
  is 'no lazy units' 0 "$(embeds a.o || :)"
  CK_JIT_UNITS=0 compile
  counts 'no lazy units, again' 1/0
  CCACHE_DEPEND=1 as_build ccache hipcc -std=c++17 -O2 -fPIC --offload-arch=gfx90a -MD -c a.hip -o a.o || fail "depend mode: $(cat err)"
  is 'depend mode' 1 "$(embeds a.o)"

  # a damaged one
  rm -rf home/work/.units
  objcopy --dump-section .ckjit.text=text first.o copy.o
  [ -s text ] || fail 'no text in the object'
  { head -c 50 text && echo damaged; head -c 100000 /dev/zero; } >bad
  head -c "$(wc -c <text)" bad >bad.text
  objcopy --update-section .ckjit.text=bad.text first.o damaged.o
  as_build hipcc -shared -o libunits.so damaged.o && fail 'a damaged text was linked'
  has 'a damaged text' 'damaged.o: the text of its kernels in section .ckjit.text is damaged; build the object again' err
)
cuda() (
  . "$here/unit/cuda_units_fixture.sh"
  cat >a.cu <<'C'
__global__ void k(int *p) { *p = 1; }
extern "C" int a(int *p) { k<<<1, 1>>>(p); return cudaGetLastError(); }
C
  cat >main.cpp <<'C'
#include <cstdio>
extern "C" int a(int *);
int main() { printf("%d\n", a(nullptr)); }
C
  compile() {
    as_build ccache nvcc -O1 -arch=sm_90 -Xcompiler -fPIC "$@" -c a.cu -o a.o || fail "a.cu: $(cat err)"
  }
  right() {
    as_build c++ -shared -o libunits.so a.o -Lcudart -lcudart || fail "$1: link: $(cat err)"
    g++ main.cpp -o main -L. -lunits -Lcudart -lcudart -Wl,-rpath,"$T"
    CK_JIT_VERBOSE=1 run ./main >got 2>said || fail "$1: $(cat got said)"
    is "$1" 0 "$(cat got)"
    is "$1: compiled" 1 "$(grep -c ': compiled in' said)"
  }
  ccache -z >/dev/null
  compile
  counts 'CUDA, the first build' 0/1
  is 'CUDA, the text' 1 "$(embeds a.o)"
  right 'CUDA, the first build'
  forget
  compile
  counts 'CUDA, the second build' 1/0
  right 'CUDA, the second build'
  compile -rdc=true
  is 'CUDA, -rdc=true' 0 "$(embeds a.o || :)"
  "$B/bin/ckjit-build" explain home >said 2>&1 || fail "explain: $(cat said)"
  has 'CUDA, -rdc=true: why' 'not lazy: its device code is linked, and ccache or sccache is in front of the compiler' said
)
hip
rm -rf "${T:?}"/*
cuda
