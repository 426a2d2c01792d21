#!/bin/sh
# The runtime adds nothing to the library that can be seen from outside: no symbol, no constructor, no needed library.
# tier: check
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unit/runtime_fixture.sh"
library lib
lib=$T/lib/libkernels.so
nm -D --defined-only "$lib" | lacks "exported" ' _Z[0-9]*[a-z]*_ILi' - -v
printf '#include <cstdio>\nint f(const char *s) { return puts(s); }\n' >"$T/empty.cpp"
g++ -shared -fPIC -o "$T/empty.so" "$T/empty.cpp" "$T/lib/throw.o"
needs() {
  readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort
}
needs "$T/empty.so" >"$T/before"
needs "$lib" >"$T/after"
is "needed libraries that are new" "" "$(comm -13 "$T/before" "$T/after")"
readelf -S "$T/lib/runtime.o" | lacks "runs at load or is thread-local" '\.(init|fini|ctors|tbss|tdata)' - -E
true
