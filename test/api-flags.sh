#!/bin/sh
# A fresh handle may have compiler flags and architectures of its own: the seed of a custom cache. What it is does not get into
# the cache, nor under the build id of what the library calls.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/runtime_fixture.sh"
library lib
lib=$T/lib/libkernels.so
sed -i 's/VERSION \* 1000/MORE + VERSION * 1000/; 1i #ifndef MORE\n#define MORE 0\n#endif' "$T/lib/ck_jit/src/value0.cu"
is "two of them, and the library's" "handle 0 handle 1 handle 2 11005 21005 1005 11005 " "$(api "open:$lib" \
  compile:value0:fresh:-DMORE=10000 "compile:value0:fresh:-DMORE=20000 '-DUNUSED=a b'" compile:value0 call:0:5 call:1:5 call:2:5 \
  call:0:5 | tr '\n' ' ')"
is "in the cache" 1 "$(find "$T/cache" -name '*.so' | wc -l)"
is "the library's" 1005 "$("$T/lib/driver" value 0 5)"
: >"$SHIM_CALLS"
sed -i 's/^exec g++/echo "$*" >>"$here\/archs"\nexec g++/; s/  --offload-arch=\*) ;;/  --offload-arch=*) echo "$a" >>"$here\/archs" ;;/' "$T/shim"
is "architectures" "handle 0" "$(api "open:$lib" "compile:value1:fresh::gfx90a,gfx1100")"
is "told the compiler" "--offload-arch=gfx90a --offload-arch=gfx1100 " "$(grep '^--off' "$T/archs" | tr '\n' ' ')"
