#!/bin/sh
# The link notes whether nvcc's answer about its steps depends on listed files alone. It does with
# NVIDIA's nvcc and gcc: first calls do not ask. With a script or a program in nvcc's place, and with
# another host compiler, they ask, and settings that the script reads are noticed.
# tier: long
# seconds: 40
. "${0%/*}/common.sh"
. "$here/unit/calling_main_fixture.sh"
. "$here/unit/cuda_fixture.sh"
need gcc g++
cd "$T"
mkdir tk base
toolkit "$T/tk"
export CK_JIT_BASE="$T/base" CK_JIT_ARCH=sm_90
echo 'template <int I> int value();' >k.h
for i in 0 1; do
  printf '#include "k.h"\n#ifndef VALUE\n#define VALUE 1\n#endif\n' >k$i.cu
  printf 'static __global__ void k(int *p) { *p = 1; }\n' >>k$i.cu
  printf 'template <> int value<%d>() { k<<<1, 1>>>(nullptr); return VALUE; }\n' $i >>k$i.cu
done
printf '#include "k.h"\n#define C __attribute__((visibility("default")))\n' >host.cu
printf 'extern "C" C int call(int i) { return i ? value<1>() : value<0>(); }\n' >>host.cu
calling_main

# built WORDS…: the library, nvcc given WORDS
built() {
  rm -rf h cache
  CUDA_HOME="$T/tk" "$B/bin/ckjit-build" home --dir "$T/h" --profile cuda >/dev/null
  for name in k0 k1 host; do
    through "$T/h" nvcc "$@" -arch=sm_90 -Xcompiler -fPIC -c $name.cu -o $name.o 2>err ||
      fail "$name: $(cat err)"
  done
  through "$T/h" nvcc "$@" -shared k0.o k1.o host.o -o libt.so 2>err || fail "$(cat err)"
  grep -q ': 2 blobs are lazy' err || fail "$(cat err)"
}
# settled YES WHEN: does the list of inputs say that the answer depends on listed files alone?
settled() {
  has=no
  ! grep -qx settled h/work/libt/ck_jit_inputs/????????????????????????????????* || has=yes
  [ $has = "$1" ] || fail "$2: settled: $has"
}
# gives N VALUE WHEN
gives() {
  got=$(./main ./libt.so "$1" 2>&1)
  [ "$got" = "$2" ] || fail "$3: kernel $1 gives $got"
}

# a gcc of another version, first on the PATH of the link
mkdir hosts
PATH="$T/hosts:$PATH"
built
settled yes "NVIDIA's nvcc"
gives 0 1 "NVIDIA's nvcc"
printf '#!/bin/sh\nexec /usr/bin/gcc -U__GNUC_MINOR__ -D__GNUC_MINOR__=9 "$@"\n' >hosts/gcc
chmod +x hosts/gcc
CK_JIT_VERBOSE=1 ./main ./libt.so 1 >said 2>&1 || fail "$(cat said)"
rm cache/k1.so
eval "$(sed -n 's/^ckjit: k1: compiling: //p' said) --verbose" >verbose 2>&1 || fail "$(cat verbose)"
grep -q 'passes other arguments' verbose || fail "another gcc is not noticed: $(cat verbose)"
rm hosts/gcc
built -ccbin "$(command -v g++)"
settled no "a host compiler by name"

mv tk/bin/nvcc tk/bin/nvcc.real
cat >tk/bin/nvcc <<'C'
#!/bin/sh
. "${0%/*}/settings"
exec "${0%/*}/nvcc.real" -DVALUE=$VALUE "$@"
C
chmod +x tk/bin/nvcc
echo VALUE=1 >tk/bin/settings
built
settled no "a script in nvcc's place"
gives 0 1 "as linked"
echo VALUE=2 >tk/bin/settings
gives 1 2 "other settings"
gives 0 1 "other settings, cached"

cat >nvcc.c <<'C'
#include <unistd.h>
int main(int argc, char **argv) {
  (void)argc;
  return execv(REAL, argv), 1;
}
C
gcc -DREAL="\"$T/tk/bin/nvcc.real\"" nvcc.c -o tk/bin/nvcc
built
settled no "a program in nvcc's place"

printf '#!/bin/sh\nexec /usr/bin/gcc "$@"\n' >hosts/gcc
chmod +x hosts/gcc
mv tk/bin/nvcc.real tk/bin/nvcc
built
settled no "a script in gcc's place"
