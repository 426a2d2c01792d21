#!/bin/bash
# A kernel of a lazy unit that cannot be had makes its launch return HIP's own error, and hipGetLastError say it; standard error has the unit,
# the kernel, the file and what to do, once. It does not throw, and ends the process only if CK_JIT_ON_ERROR asks for that. What can be
# had is: from a read-only cache, without a cache, where none can be made, by a compiler that was exchanged since.
# tier: all
# seconds: 20
. "${0%/*}/common.sh"
. "$here/unit/hip_fixture.sh"
# a compiler that can be exchanged
real=$(command -v hipcc)
cat >hipcc <<C
#!/bin/sh
case " \$* " in *' -### -x hip '* | *--version*) ;; *) [ ! -e '$T/fail' ] || { echo 'no such instruction' >&2; exit 1; } ;; esac
exec $real "\$@"
C
chmod +x hipcc
export CK_JIT_HIPCC=$T/hipcc
units_home
unset CK_JIT_HIPCC
for n in 1 2; do
  cat >u$n.hip <<C
#include <hip/hip_runtime.h>
__global__ void k$n(int *p) { p[0] = $n; }
__global__ void other$n(int *p) { p[0] = 10 * $n; }
extern "C" __attribute__((visibility("default"))) int call$n(int which, int *p) {
  if (which) other$n<<<1, 1>>>(p); else k$n<<<1, 1>>>(p);
  return hipGetLastError();
}
extern "C" __attribute__((visibility("default"))) int node$n() {
  hipKernelNodeParams params = {};
  hipGraphNode_t node;
  params.func = (void *)k$n;
  return hipGraphAddKernelNode(&node, nullptr, nullptr, 0, &params);
}
C
  as_build hipcc -O1 -fPIC -fvisibility=hidden --offload-arch=gfx90a -c u$n.hip -o u$n.o || fail "u$n: $(cat err)"
done
as_build hipcc -shared -o libu.so u1.o u2.o || fail "link: $(cat err)"
cat >main.cpp <<'C'
#include <cstdio>
#include <dlfcn.h>
struct dim3 { unsigned x, y, z; };
extern "C" void hiprt_kernel(const char *, void (*)(void **, const dim3 *, const dim3 *));
int main(int, char **v) {
  hiprt_kernel("_Z2k1", [](void **a, const dim3 *, const dim3 *) { **(int **)a[0] = 1; });
  hiprt_kernel("_Z6other1", [](void **a, const dim3 *, const dim3 *) { **(int **)a[0] = 10; });
  void *h = dlopen(v[1], RTLD_NOW);
  if (!h) return puts(dlerror()), 1;
  auto call = (int (*)(int, int *))dlsym(h, "call1");
  auto node = (int (*)())dlsym(h, "node1");
  for (v += 2; *v; v++) {
    int p = 0, r = **v == 'n' ? node() : call(**v == 'o', &p);
    printf("%d %d\n", r, p);
    fflush(stdout);
  }
}
C
g++ main.cpp -o main -ldl -Lhip -lamdhip64
keys=$(strings -n 40 libu.so | sed -n 's/^CKJTUNIT//p')
key=$(echo "$keys" | head -n 1)
text=home/work/.units/$key.text other=home/work/.units/$(echo "$keys" | tail -n 1).text
[ -e "$text" ] && [ -e "$other" ] || fail "texts: $(ls home/work/.units)"
# denied WHAT WORDS: both launches of k fail, and standard error has the words, once
denied() {
  run ./main ./libu.so k k >out 2>said || fail "$1: it ended: $(cat out said)"
  is "$1" '98 0 98 0 ' "$(tr '\n' ' ' <out)"
  has "$1" "$2" said
  is "$1: said" 1 "$(grep -c 'kernel _Z2k1Pi: ' said)"
  has "$1: what HIP says" 'its launch fails with hipErrorInvalidDeviceFunction' said
  is "$1: what HIP was asked" 'launch ? launch ? ' "$(tr '\n' ' ' <log)"
}
cp "$text" kept
rm "$text"
denied 'a text that is gone' "$key.text"
head -c 1000 kept >"$text"
denied 'a torn text' "$key.text"
cp "$other" "$text"
denied 'the text of another unit' "$key.text was changed since the library was linked"
cp kept "$text"
CK_JIT_ARCH=gfx908 denied 'another GPU' gfx908
CK_JIT_ON_MISS=error denied 'CK_JIT_ON_MISS' 'CK_JIT_ON_MISS is error'
CK_JIT_ON_MISS=error run ./main ./libu.so node >out 2>said || fail "a node: it ended: $(cat out said)"
is 'a node' '1 0' "$(cat out)"
[ ! -e cache ] || lacks 'an entry that nobody may have made' '\.so$' - <<END
$(ls cache; echo .)
END
(CK_JIT_ON_MISS=error CK_JIT_ON_ERROR=abort run ./main ./libu.so k) >out 2>said && fail 'CK_JIT_ON_ERROR=abort does not'
has 'CK_JIT_ON_ERROR=abort' 'kernel _Z2k1Pi: ' said

# a compiler that fails
touch fail
denied 'a compiler that fails' 'no such instruction'
rm fail
export CK_JIT_VERBOSE=1
# right WHAT COMPILES: both kernels, so many of them compiled
right() {
  run ./main ./libu.so k o k >out 2>said || fail "$1: $(cat out said)"
  is "$1" '0 1 0 10 0 1 ' "$(tr '\n' ' ' <out)"
  is "$1: compiled" "$2" "$(grep -c ': compiled in' said)"
}
right 'mended' 2
right 'the next process' 0
cp -p hipcc own
echo '# another' >>hipcc
right 'what the own compiler has made' 0
CK_JIT_CACHE_DIR=$T/second right 'another compiler' 2
CK_JIT_CACHE_DIR=$T/second right 'the same again' 0
cp -p own hipcc
CK_JIT_CACHE_DIR=$T/second right 'the own one, where the other has left its kernels' 2

# a read-only cache, and none
mv cache image
CK_JIT_CACHE_READONLY_DIR=$T/image CK_JIT_ON_MISS=error run ./main ./libu.so k >out 2>said || fail "read-only: $(cat out said)"
is 'a read-only cache' '0 1' "$(cat out)"
CK_JIT_DISABLE_FILE_CACHING=1 CK_JIT_CACHE_DIR=$T/none run ./main ./libu.so k o >out 2>said || fail "no cache: $(cat out said)"
is 'no cache' '0 1 0 10 ' "$(tr '\n' ' ' <out)"
is 'no cache: compiles' 1 "$(grep -c ': compiled in' said)"
[ ! -e none ] || fail 'there is a cache'
: >file
CK_JIT_CACHE_DIR=$T/file/cache run ./main ./libu.so k o k >out 2>said || fail "a cache that cannot be made: $(cat out said)"
is 'a cache that cannot be made' '0 1 0 10 0 1 ' "$(tr '\n' ' ' <out)"
is 'a cache that cannot be made: compiles' 1 "$(grep -c ': compiled in' said)"
