#!/bin/sh
# The files of a compiler, hundreds of megabytes, are read once a machine and piece by piece: of processes that want a kernel at the same
# moment, or link, or compile units, one reads them and the others wait for it; none needs memory for them.
# tier: check
. "${0%/*}/common.sh"
need gcc g++ python3 strace
strace -qq -o /dev/null -e inject=getpid:error=EPERM true || skip "strace cannot be used here"
cd "$T"
MB=117
mkdir -p rocm/bin src
cat >rocm/bin/hipcc <<'HIPCC'
#!/bin/bash
a=()
while [ $# -gt 0 ]; do
  case $1 in
  --offload-arch=* | -fno-gpu-rdc | --cuda-* | --offload-* | -ferror-limit=*|-Xclang|-disable-llvm-passes) ;;
  hip) a+=(c++) ;;
  *) a+=("$1") ;;
  esac
  shift
done
exec g++ "${a[@]}"
HIPCC
printf '#!/bin/sh\necho 6.0.0\n' >rocm/bin/hipconfig
head -c ${MB}M /dev/urandom >rocm/bin/hipcc.bin # a file of the compiler's, beside its driver
chmod +x rocm/bin/hipcc rocm/bin/hipconfig
touch -d '1 minute ago' rocm/bin/*
cat >src/k.hpp <<'HPP'
template <int I> int value_(int x);
HPP
printf '#include "k.hpp"\ntemplate <> int value_<0>(int x) { return 1000 + x; }\n' >src/k0.cu
printf '#include "k.hpp"\nextern "C" __attribute__((visibility("default"))) int call(int x) { return value_<0>(x); }\n' >src/api.cpp
cat >drv.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
  void *h = dlopen(argv[argc - 1], RTLD_NOW);
  int (*call)(int) = h ? (int (*)(int))dlsym(h, "call") : NULL;
  printf("%d\n", call ? call(5) : -1);
  return 0;
}
C
gcc -o drv drv.c -ldl
CK_JIT_HIPCC="$T/rocm/bin/hipcc" ROCM_PATH="$T/rocm" "$B/bin/ckjit-build" home --dir "$T/h" >/dev/null
hipcc=$T/h/bin/hipcc
for s in k0.cu api.cpp; do
  "$hipcc" -x hip --offload-arch=gfx90a -Isrc -fPIC -c src/$s -o ${s%.*}.o
done

# reads FILE: how often the compiler's file was opened, by the trace in FILE
reads() {
  grep -c 'hipcc\.bin", O_RDONLY' "$1" || :
}
cat >together.sh <<'SH'
for i in 1 2 3 4 5 6 7 8; do "$@" >out.$i 2>&1 & done
wait
SH

# links of one build
cat >link.sh <<'SH'
exec "$1" -shared -o "libk.$$.so" k0.o api.o
SH
strace -f -qq -o link.trace -e trace=openat,execve sh together.sh sh link.sh "$hipcc"
is "links: reads of the compiler" 1 "$(reads link.trace)"
is "links" 8 "$(find . -name 'libk.*.so' | wc -l)"

# calls
library=$(find "$T" -name 'libk.*.so' | sort | head -n 1)
export CK_JIT_CACHE_DIR="$T/cache"
strace -f -qq -o call.trace -e trace=openat,execve sh together.sh ./drv "$library"
is "calls" "8 1005" "$(cat out.* | sort | uniq -c | awk '{ print $1, $2 }')"
is "calls: reads of the compiler" 1 "$(reads call.trace)"
is "calls: compiles" 1 "$(grep 'execve("[^"]*rocm/bin/hipcc"' call.trace | grep -vc -e '-###' || :)"
find "$T/cache/.locks" -type f >left
is "locks that are left" "" "$(cat left)"

# another compiler: noticed, and read once more by all together
head -c ${MB}M /dev/urandom >rocm/bin/hipcc.bin
touch -d '30 seconds ago' rocm/bin/hipcc.bin
rm cache/*.so
strace -f -qq -o other.trace -e trace=openat,execve sh together.sh ./drv "$library"
is "another compiler: calls" "8 1005" "$(cat out.* | sort | uniq -c | awk '{ print $1, $2 }')"
is "another compiler: reads" 1 "$(reads other.trace)"

# memory: less than the file has bytes
cat >most.py <<'PY'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
PY
rm -rf cache
most=$(python3 most.py ./drv "$library")
[ "$most" -lt $((MB - 20)) ] || fail "a call takes $most MB to read a compiler of $MB MB"
rm -rf h/work/.compilers
most=$(python3 most.py "$hipcc" -shared -o libm.so k0.o api.o)
[ "$most" -lt $((MB - 20)) ] || fail "a link takes $most MB to read a compiler of $MB MB"

# the one that reads it is killed: another goes on
rm -rf cache
cat >wait.sh <<'SH'
./drv "$1" >killed.out 2>&1 &
until pid=$(pgrep -f "ckjit-compile.*$PWD/cache" | tail -n 1) && ls -l "/proc/$pid/fd" 2>/dev/null | grep -q hipcc.bin; do
  kill -0 $! 2>/dev/null || exit 0
done
kill -9 "$pid"
wait
SH
sh wait.sh "$library"
is "after a kill" 1005 "$(./drv "$library")"
