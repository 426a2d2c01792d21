#!/bin/bash
# What test/units-bad.sh says of HIP, for CUDA: a kernel of a lazy unit that cannot be had makes its launch return CUDA's own error, and
# cudaGetLastError say it; standard error has the unit, the kernel, the file or the compiler's words, and what to do, once. What can be had is: from
# a read-only cache, where no cache can be written, by an nvcc that was exchanged since.
# tier: all
# seconds: 15
. "${0%/*}/common.sh"
. "$here/unit/cuda_units_fixture.sh"
# A kernel of the second is refused by ptxas, which the build does not run, and one of the third by the front end.
instruction=
for n in 1 2 3; do
  cat >u$n.cu <<C
__global__ void k$n(int *p) { p[0] = $n; }
__global__ void other$n(int *p) { p[0] = 10 * $n; }
__global__ void bad$n(int *p) {
  $instruction
}
extern "C" int call$n(char which, int *p) {
  if (which == 'k') k$n<<<1, 1>>>(p);
  if (which == 'o') other$n<<<1, 1>>>(p);
  if (which == 'b') bad$n<<<1, 1>>>(p);
  return cudaGetLastError();
}
C
  as_build nvcc -O1 -arch=sm_90 -Xcompiler -fPIC -c u$n.cu -o u$n.o || fail "u$n: $(cat err)"
  case $n in
  1) instruction='asm("no.such.instruction;");' ;;
  2) instruction='
#ifdef __CUDA_ARCH__
    static_assert(sizeof *p == 3, "an int of three bytes");
#endif' ;;
  esac
done
as_build c++ -shared -o libu.so u1.o u2.o u3.o -Lcudart -lcudart || fail "link: $(cat err)"
cat >main.cpp <<'C'
#include <cstdio>
struct dim3 { unsigned x, y, z; };
extern "C" void cudart_kernel(const char *, void (*)(void **, const dim3 *, const dim3 *));
extern "C" int call1(char, int *), call2(char, int *), call3(char, int *);
int main(int, char **v) {
  cudart_kernel("_Z2k1", [](void **a, const dim3 *, const dim3 *) { **(int **)a[0] = 1; });
  cudart_kernel("_Z6other1", [](void **a, const dim3 *, const dim3 *) { **(int **)a[0] = 10; });
  while (*++v) {
    int p = 0, r = (**v == 'b' ? call2 : **v == 'f' ? call3 : call1)(**v == 'f' ? 'b' : **v, &p);
    printf("%d %d\n", r, p);
    fflush(stdout);
  }
}
C
g++ main.cpp -o main -L. -lu -Lcudart -lcudart -Wl,-rpath,"$T"
keys=$(strings -n 40 libu.so | sed -n 's/^CKJTUNIT//p')
key=$(echo "$keys" | head -n 1)
texts=$(dirname "$(find home/work/trees -name "$key.text")") # where the profile keeps sources
text=$texts/$key.text other=$texts/$(echo "$keys" | sed -n 2p).text
[ -e "$text" ] && [ -e "$other" ] && [ "$text" != "$other" ] || fail "texts: $(find home/work -name '*.text')"
# denied WHAT WORDS: both launches of k fail, and standard error has the words, once. Each launch asks CUDA again.
denied() {
  run ./main k k >out 2>said || fail "$1: it ended: $(cat out said)"
  is "$1" '98 0 98 0 ' "$(tr '\n' ' ' <out)"
  has "$1" "$2" said
  is "$1: said" 1 "$(grep -c 'kernel _Z2k1Pi: ' said)"
  has "$1: what CUDA says" 'its launch fails with cudaErrorInvalidDeviceFunction' said
  is "$1: what CUDA was asked" 'launch ? launch ? ' "$(tr '\n' ' ' <log)"
}
cp "$text" kept
rm "$text"
denied 'a text that is gone' "$key.text: No such file"
head -c 1000 kept >"$text"
denied 'a torn text' "$key.text was changed since the library was linked"
cp "$other" "$text"
denied 'the text of another unit' "$key.text was changed since the library was linked"
cp kept "$text"
CK_JIT_ARCH=sm_80 denied 'another GPU' 'it has no text for compute_80, but for compute_90; build the unit for that architecture'
CK_JIT_ON_MISS=error denied 'CK_JIT_ON_MISS' 'CK_JIT_ON_MISS is error'
[ ! -e cache ] || is 'entries that nobody may have made' '' "$(find cache -name '*.so')"
(CK_JIT_ON_MISS=error CK_JIT_ON_ERROR=abort run ./main k) >out 2>said && fail 'CK_JIT_ON_ERROR=abort does not'
has 'CK_JIT_ON_ERROR=abort' 'kernel _Z2k1Pi: ' said

run ./main b b >out 2>said || fail "a kernel that cannot be compiled: it ended: $(cat out said)"
is 'a kernel that cannot be compiled' '98 0 98 0 ' "$(tr '\n' ' ' <out)"
has 'a kernel that cannot be compiled: which' 'kernel _Z4bad2Pi: ' said
has 'a kernel that cannot be compiled: of which unit' "ckjit: error: u2-" said
has "a kernel that cannot be compiled: ptxas's words" "Not a name of any known instruction: 'no'" said

run ./main f f >out 2>said || fail "what the front end refuses: it ended: $(cat out said)"
is 'what the front end refuses' '98 0 98 0 ' "$(tr '\n' ' ' <out)"
has 'what the front end refuses: which' 'kernel _Z4bad3Pi: ' said
has "what the front end refuses: its words" 'error: static assertion failed with "an int of three bytes"' said

# an nvcc that fails, and one that is mended
mkdir own
cat >own/nvcc <<C
#!/bin/sh
case " \$* " in *'/unit.cu '*) [ ! -e '$T/fail' ] || { echo 'no such instruction' >&2; exit 1; } ;; esac
exec '$nvcc' "\$@"
C
chmod +x own/nvcc
export CK_JIT_NVCC=$T/own/nvcc
rm -r cache # it has the unit's bitcode
touch fail
denied 'an nvcc that fails' 'no such instruction'
rm fail
export CK_JIT_VERBOSE=1
# right WHAT COMPILES: both kernels, so many of them compiled
right() {
  run ./main k o k >out 2>said || fail "$1: $(cat out said)"
   is "$1" '0 1 0 10 0 1 ' "$(tr '\n' ' ' <out)"
  is "$1: compiled" "$2" "$(grep -c ': compiled in' said)"
}
right 'mended' 2
right 'the next process' 0

# a cache that cannot be made, or written: the unit is compiled for this process
: >file
CK_JIT_CACHE_DIR=$T/file/cache right 'a cache that cannot be made' 1
CK_JIT_DISABLE_FILE_CACHING=1 CK_JIT_CACHE_DIR=$T/none right 'no cache' 1
[ ! -e none ] || fail 'there is a cache'
mv cache image
CK_JIT_CACHE_READONLY_DIR=$T/image CK_JIT_ON_MISS=error run ./main k o >out 2>said || fail "read-only: $(cat out said)"
is 'a read-only cache' '0 1 0 10 ' "$(tr '\n' ' ' <out)"
