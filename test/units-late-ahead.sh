#!/bin/sh
# The second late unit that a process calls starts the host sides of its library's other ones, while
# processors are idle, unless a record says what will be called. Those that are called then are
# found, and recorded. None is started with fewer than four processors, CK_JIT_WARM=0, or a library
# of more than a hundred.
# tier: all
# seconds: 28
. "${0%/*}/common.sh"
late=1
. "$here/unit/cuda_units_fixture.sh"
export CK_JIT_JOBS=4 CK_JIT_JOB_MEMORY=0 CK_JIT_VERBOSE=1
unset CK_JIT_WARM

# library NAME UNITS: NAME.so with UNITS late units, unitN.cu; call(n) calls that of number n
library() {
  objects=
  for n in $(seq "$2"); do
    echo "static __global__ void k(int *p) { *p = $n; }
int f$n(int x) { if (x < 0) k<<<1, 1>>>(nullptr); return 10 * x + $n; }" >"unit$n.cu"
    as_build nvcc -arch=sm_90 -Xcompiler -fPIC -c "unit$n.cu" -o "unit$n.o" || fail "$(cat err)"
    objects="$objects unit$n.o"
  done
  {
    for n in $(seq "$2"); do echo "int f$n(int);"; done
    echo 'extern "C" int call(int n) { switch (n) {'
    for n in $(seq "$2"); do echo "case $n: return f$n(1);"; done
    echo '} return -1; }'
  } >call.cpp
  g++ -fPIC -c call.cpp
  # shellcheck disable=SC2086 # words
  as_build c++ -shared -o "$1.so" call.o $objects -Lcudart -lcudart || fail "$(cat err)"
  grep -q "$1.so: $2 ordinary sources lazy" err || fail "$1: $(cat err)"
}
cat >main.cpp <<'C'
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>
int main(int, char **v) { // LIBRARY NUMBER…: calls; a name is a file that is waited for
  void *h = dlopen(v[1], RTLD_NOW);
  if (!h) return puts(dlerror()), 1;
  int (*call)(int) = (int (*)(int))dlsym(h, "call");
  for (v += 2; *v; v++)
    if (atoi(*v)) printf("%d\n", call(atoi(*v))), fflush(stdout);
    else while (access(*v, F_OK)) usleep(20000);
}
C
g++ main.cpp -o main -ldl
entries() { find cache -maxdepth 1 -name '*.so' | sed 's|.*/||; s|\.so$||' | sort | xargs; }
recorded() { cut -f 2 "cache/.used/$1.so" | sort -u | xargs; }
begun='compiling ahead of their calls the host side'

library few 5
run ./main ./few.so 1 2 cache/unit3.so cache/unit4.so cache/unit5.so 4 >out 2>said || fail "few: $(cat out said)"
is 'few: results' '11 12 14' "$(xargs <out)"
has 'few' "unit2: $begun of 3 other units of its library" said
is 'few: messages' 1 "$(grep -c "$begun" said)"
is 'few: entries' 'unit1 unit2 unit3 unit4 unit5' "$(entries)"
head -n 3 cache/.used/few.so >&2
grep -q unit4 cache/.used/few.so || fail "unit4 was called, and is not recorded: $(cat cache/.used/few.so)"
lacks 'unit3 was not called' unit3 cache/.used/few.so

# a record says what will be called
rm cache/*.so
run ./main ./few.so 1 2 cache/unit4.so >out 2>said || fail "record: $(cat out said)"
lacks 'record' "$begun" said
is 'record: entries' 'unit1 unit2 unit4' "$(entries)"

# one call, few processors, nothing ahead
rm -r cache
run ./main ./few.so 3 >out 2>said || fail "one: $(cat out said)"
lacks 'one' "$begun" said
rm cache/*.so # its record does not have the second unit that is called now
run ./main ./few.so 1 2 3 >out 2>said || fail "another record: $(cat out said)"
lacks 'another record' "$begun" said
is 'another record: entries' 'unit1 unit2 unit3' "$(entries)"
for set in CK_JIT_JOBS=3 CK_JIT_WARM=0; do
  rm -r cache
  (export "${set?}" && run ./main ./few.so 1 2 3 >out 2>said) || fail "$set: $(cat out said)"
  lacks "$set" "$begun" said
  is "$set: entries" 'unit1 unit2 unit3' "$(entries)"
done

library many 101
rm -rf cache
run ./main ./many.so 1 2 >out 2>said || fail "many: $(cat out said)"
lacks 'many' "$begun" said
