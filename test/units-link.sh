#!/bin/bash
# Lazy units however they get into a link: by name, in an archive, a thin one, through ld -r with others, into a program, beside blobs, with
# each linker; in a relink and with another runtime. Each time their kernels are found in the cache, for it is the same units. What
# cannot be linked that way is said: a foreign link, and a library that is made as without ckjit has the units whole.
# tier: all
# seconds: 40
. "${0%/*}/common.sh"
. "$here/unit/hip_fixture.sh"
units_home
for n in 1 2; do
  cat >u$n.hip <<C
#include <hip/hip_runtime.h>
template <int N> __global__ void k(int *p) { p[0] = N; }
extern "C" __attribute__((visibility("default"))) int call$n(int *p) { k<$n><<<1, 1>>>(p); return hipGetLastError(); }
C
  as_build hipcc -O1 -fPIC -fvisibility=hidden --offload-arch=gfx90a -c u$n.hip -o u$n.o || fail "u$n: $(cat err)"
done
cat >main.cpp <<'C'
#include <cstdio>
#include <dlfcn.h>
struct dim3 { unsigned x, y, z; };
extern "C" void hiprt_kernel(const char *, void (*)(void **, const dim3 *, const dim3 *));
#ifdef LINKED
extern "C" int call1(int *), call2(int *);
#endif
int main(int, char **v) {
  int p = 0;
  hiprt_kernel("_Z1kILi1", [](void **a, const dim3 *, const dim3 *) { **(int **)a[0] = 11; });
  hiprt_kernel("_Z1kILi2", [](void **a, const dim3 *, const dim3 *) { **(int **)a[0] = 22; });
#ifdef LINKED
  auto one = call1, two = call2;
#else
  void *h = dlopen(v[1], RTLD_NOW);
  if (!h) return puts(dlerror()), 1;
  auto one = (int (*)(int *))dlsym(h, "call1"), two = (int (*)(int *))dlsym(h, "call2");
  if (auto blob = (int (*)(int))dlsym(h, "call_blob")) printf("blob %d ", blob(4));
#endif
  printf("%d ", one(&p)), printf("%d ", p), printf("%d ", two(&p)), printf("%d\n", p);
}
C
g++ main.cpp -o main -ldl -Lhip -lamdhip64
# library NAME WORDS...: libNAME.so of these, whose kernels are launched
library() {
  name_=$1
  shift
  as_build hipcc -shared -o "lib$name_.so" "$@" || fail "$name_: $(cat err)"
  has "$name_" '2 ordinary units, lazy' err
  right "$name_"
}
right() {
  CK_JIT_VERBOSE=1 run ./main "./lib$1.so" >out 2>said || fail "$1: $(cat out said)"
  is "$1" "${2-}0 11 0 22" "$(cat out)"
}
library names u1.o u2.o
is 'compiled at first' 2 "$(grep -c ': compiled in' said)"
none_new() {
  lacks "$1: compiled again" ': compiled in' said
}
# .so within a name does not make a shared library of an object
cp u1.o u1.some.o
cp u2.o u2.solo.hip.o
library odd u1.some.o u2.solo.hip.o
none_new odd
ar rc libk.a u1.o u2.o
ar rcT thin.a u1.o u2.o
library archive -Wl,--whole-archive libk.a -Wl,--no-whole-archive
none_new archive
library thin -Wl,--whole-archive thin.a -Wl,--no-whole-archive
none_new thin
for ld in bfd lld mold; do
  command -v "ld.$ld" >/dev/null || continue
  "ld.$ld" -r -o "$ld.o" u1.o u2.o || fail "ld.$ld -r"
  library "$ld" -fuse-ld=$ld -Wl,--gc-sections -Wl,-z,defs "$ld.o"
  none_new "$ld"
  c++ -shared -fuse-ld=$ld -o x.so "$ld.o" -Lhip -lamdhip64 2>refused && fail "ld.$ld links a unit without ckjit"
  has "ld.$ld" recorded_by_ckjit__link_this_object_with_the_compiler_of_its_fake_home refused
done
g++ -DLINKED -c main.cpp -o main.o
as_build hipcc main.o u1.o u2.o -Lhip -o program -Wl,-rpath,"$T/hip" || fail "program: $(cat err)"
has 'a program' '2 ordinary units, lazy' err
CK_JIT_VERBOSE=1 run ./program >out 2>said || fail "program: $(cat out said)"
is 'a program' '0 11 0 22' "$(cat out)"
none_new 'a program'

# beside blobs
echo 'template <int N> int blob(int x);' >blob.hpp
printf '#include "blob.hpp"\ntemplate <> int blob<1>(int x) { return 10 * x; }\n' >b1.cpp
printf '#include "blob.hpp"\nextern "C" __attribute__((visibility("default"))) int call_blob(int x) { return blob<1>(x); }\n' >api.cpp
as_build hipcc -x c++ -fPIC -I. -c b1.cpp -o b1.o && as_build hipcc -x c++ -fPIC -I. -c api.cpp -o api.o
as_build hipcc -shared -o libboth.so u1.o b1.o api.o u2.o || fail "both: $(cat err)"
has both '1 blob is lazy' err
has both '2 ordinary units, lazy' err
right both 'blob 40 '
is 'both: the blob is compiled' 1 "$(grep -c ': compiled in' said)"
is 'rows' '3 2' "$(python3 -c 'import json, sys; b = json.load(open(sys.argv[1]))["blobs"]; print(len(b), sum(x.get("kind") == "unit" for x in b.values()))' home/work/libboth/ck_jit_manifest.json)"

# linked again, without the others
for name in names archive thin bfd lld mold; do rm -rf "home/work/lib$name"; done
rm -r home/work/program
"$B/bin/ckjit-build" relink --tmp-dir "$T/home/work" >out 2>&1 || fail "relink: $(cat out)"
right both 'blob 40 '
none_new relink
echo '#include "ck_jit_runtime.c"' >runtime.c
"$B/bin/ckjit-build" quick --tmp-dir "$T/home/work" >out 2>&1 || fail "quick: $(cat out)"
right both 'blob 40 '
none_new quick

# named by their place below the build's root: found where an install has them, when the build is gone
CK_JIT_BASE=$T as_build hipcc -shared -o libbase.so u1.o u2.o || fail "base: $(cat err)"
mkdir -p install/home/work
cp -r home/work/.units install/home/work/
cp "$B/bin/ckjit-compile" install/
mv home/work work.away
mkdir home/work
export CK_JIT_CACHE_DIR=$T/second
CK_JIT_ROOT=$T/install right base
is 'compiled of the text of the install' 2 "$(grep -c ': compiled in' said)"
has 'its place' "--blob-source $T/install/home/work/.units/" said
export CK_JIT_CACHE_DIR=$T/cache
rmdir home/work
mv work.away home/work

# as without ckjit: the units are compiled whole, and register themselves
echo '#error "no runtime today"' >broken.c
CK_JIT_RUNTIME_SRC=$T/broken.c as_build hipcc -shared -o libstock.so u1.o u2.o || fail "stock: $(cat err)"
has stock 'libstock.so: it is built without ckjit' err
CK_JIT_CACHE_DIR=$T/none right stock
[ ! -e none ] || fail 'a stock library has made a cache'
has 'registered when it is loaded' 'function _Z1kILi1EEvPi' log
CK_JIT_RUNTIME_SRC=$T/broken.c as_build hipcc -shared -o libno.so -Wl,--whole-archive libk.a -Wl,--no-whole-archive || fail "stock, of an archive: $(cat err)"
has 'stock, of an archive' 'libno.so: it is built without ckjit' err
CK_JIT_CACHE_DIR=$T/none right no
