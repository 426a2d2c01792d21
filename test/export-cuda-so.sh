#!/bin/sh
# export of host code of CUDA: so and obj, of one kernel and of two, with the library's own libraries, renamed, at any place and the
# same bytes each time.
# tier: all
. "${0%/*}/common.sh"
. "$here/unit/export_cuda_fixture.sh"

export_ k64 k128 --format so --symbol "$count64=count_64" --output libk.so
[ "$(dlopen ./libk.so count_64 2) $(dlopen ./libk.so "$count128" 2)" = '128 256' ] || fail 'a call went wrong'
readelf -dn libk.so >"$T/dynamic"
grep -q 'SONAME.*\[libk\.so\]' "$T/dynamic" && grep -q 'NEEDED.*\[libcudart\.so' "$T/dynamic" && grep -q SYMBOLIC "$T/dynamic" ||
  fail "$(cat "$T/dynamic")"
id=$(sed -n 's/.*Build ID: *//p' "$T/dynamic")
[ ${#id} = 40 ] || fail "the build id is '$id', not the linker's"
nm -D libk.so | lacks 'the old name is there still' "T $count64\$" -

export_ k64 k128 --format obj --arch 'sm_90;compute_90' --output k.o
[ "$(readelf -h k.o | sed -n 's/ *Type: *\([A-Z]*\).*/\1/p')" = REL ] || fail "$(readelf -h k.o)"
cat >main.cpp <<'END'
#include "demo.h"
template <> int demo::count_<demo::traits<64, true>>(int);
template <> int demo::count_<demo::traits<128, true>>(int);
int main() { return demo::count_<demo::traits<64, true>>(1) + demo::count_<demo::traits<128, true>>(1) != 192; }
END
g++ -std=c++17 -I"$demo" -I"$cuda/include" main.cpp k.o -L"$cuda/lib64" -lcudart -o main && ./main || fail 'the objects do not link'
strings -a k.o | lacks 'names of temporary files are in it' tmpxft -

# One kernel, at a place and by a name that nvcc could not be given.
dir='a, $b "c'
mkdir "$dir"
export_ k64 --format so --arch sm_90 --symbol count_=count --output "$dir/lib k,\$x.so"
[ "$(dlopen "$dir/lib k,\$x.so" count 3)" = 192 ] || fail 'no call from there'
readelf -d "$dir/lib k,\$x.so" | grep -qF '[lib k,$x.so]' || fail "$(readelf -d "$dir/lib k,\$x.so")"
export_ k64 k128 --format obj --arch 'sm_90;compute_90' --output "$dir/k.o"
cmp k.o "$dir/k.o" || fail 'not the same bytes again'
