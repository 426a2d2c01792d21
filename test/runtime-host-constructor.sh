#!/bin/sh
# A kernel is called from a library's constructor, when the dynamic linker is locked: alone, and while another thread is in the
# first call of the same kernel, which has to load what it waits for.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
many lib 4
# user N: a library whose constructor calls value_<N>(5)
user() {
  cat >"$T/user$1.cpp" <<END
template <int N> int value_(int x);
static int found = value_<$1>(5);
extern "C" int result() { return found; }
END
  g++ -shared -fPIC -O1 "$T/user$1.cpp" -o "$T/user$1.so" -L"$T/lib" -lkernels -Wl,-rpath,"$T/lib"
}
user 0
user 1
is "alone" 5 "$(hostile lib constructor "$T/user0.so" -1)"
is "from the cache" 5 "$(hostile lib constructor "$T/user0.so" -1)"
echo 1000 >"$T/lib/control/k1.sleep"
is "beside another thread" 1005 "$(hostile lib constructor "$T/user1.so" 1)"
is "compiles" 2 "$(started lib)"
