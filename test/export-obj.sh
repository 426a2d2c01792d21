#!/bin/sh
# export --format obj: an object file that plain g++, or gcc with a C name, links; several kernels are one object.
# tier: all
# seconds: 8
. "${0%/*}/common.sh"
. "$here/unit/export_fixture.sh"
export_ k64 --format obj --output k64.o
[ "$(readelf -h k64.o | sed -n 's/ *Type: *\(REL\).*/\1/p')" = REL ] || fail 'no relocatable object'
cat >main.cpp <<'END'
#include <cstdio>
namespace demo {
template <int N, bool B> struct traits {};
template <typename T> int count_(int n);
template <> int count_<traits<64, true>>(int);
}
int main() { printf("%d\n", demo::count_<demo::traits<64, true>>(3)); }
END
g++ main.cpp k64.o -lamdhip64 -o main && [ "$(env -i ./main)" = 192 ] || fail 'g++ does not link it'

# A C name: by the template's name, where the kernel is the only one that is of it.
export_ k64 --format obj --symbol count_=count_64 --symbol demo::forward_=forward_64 --output named.o
nm named.o | grep -q ' T count_64$' && nm named.o | grep -q ' T forward_64$' || fail "symbols: $(nm named.o)"
nm named.o | lacks 'the old name is there' $count64 -
printf '#include <stdio.h>\nint count_64(int);\nint main(void) { return printf("%%d\\n", count_64(4)) < 0; }\n' >c.c
gcc c.c named.o -lamdhip64 -lstdc++ -o c && [ "$(env -i ./c)" = 256 ] || fail 'gcc does not link it'

# The signature names it as well, and both kernels are in one object that links like any other.
export_ k64 k128 --format obj --symbol "int demo::count_<demo::traits<64, true> >(int)=count_64" --output both.o
sed 's/64/128/g' main.cpp >main128.cpp
g++ main128.cpp both.o -lamdhip64 -o both && [ "$(env -i ./both)" = 384 ] || fail 'the joined object does not link'
gcc c.c both.o -lamdhip64 -lstdc++ -o c && [ "$(env -i ./c)" = 256 ] || fail 'the joined object lacks the new name'
[ "$(nm both.o | grep -c '__device_stub__')" = 2 ] || fail "not both kernels: $(nm both.o)"
# And the linker makes a shared object of it.
g++ -shared both.o -lamdhip64 -o both.so && [ "$(dlopen "$PWD/both.so" count_64 2)" = 128 ] || fail 'it is not position independent'
