#!/bin/sh
# libckjit.so asks the dynamic linker nothing while it holds its mutex, and so does the runtime: a library's constructor, which the
# dynamic linker runs while it is locked, may use them.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/runtime_fixture.sh"
[ -z "${SANITIZER-}" ] || skip "the sanitizers have functions of their own in the same places"
many lib 2
build() {
  "${cross}gcc" -std=gnu11 -D_GNU_SOURCE -O1 -g -rdynamic -I"$top" "$1" -o "$T/locks" -L"$B/lib" -lckjit -ldl -pthread -Wl,-rpath,"$B/lib"
  emulated "$T/locks"
}
build "$unit/runtime_api_locks.c"
is "named in the library" "k0 _Z6value_ILi0EEii k1 _Z6value_ILi1EEii dlinfo was called " "$("$T/locks" "$T/lib/libkernels.so" | tr '\n' ' ')"

# names that a version script hides are learnt from what was compiled
echo '{ local: *; };' >"$T/hide.map"
"${cross}g++" -shared -Wl,--version-script="$T/hide.map" -o "$T/lib/libhidden.so" "$T/lib/stubs.o" "$T/lib/tables.o" "$T/lib/runtime.o" "$T/lib/throw.o"
is "learnt" "k0 _Z6value_ILi0EEii k1 _Z6value_ILi1EEii dlinfo was called " "$("$T/locks" "$T/lib/libhidden.so" | tr '\n' ' ')"
