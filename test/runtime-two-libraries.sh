#!/bin/sh
# Two versions of a library in one process, RTLD_GLOBAL, share a cache. A cached file is removed and its name taken by the
# other's code while the first is still loaded: the dynamic linker goes by names, the runtime does not. Unloading a
# library and loading it again is harmless.
# tier: check
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unit/runtime_fixture.sh"
library one 1
library two 2
gcc -o "$T/host" "$unit/runtime_host.c" -ldl
one=$T/one/libkernels.so two=$T/two/libkernels.so
symbol=$(sed -n 's/.* \(_Z6value_ILi0.*\)/\1/p' "$T/one/symbols")

is "both" "1005 2005 1005 " "$("$T/host" "$symbol" "$one" "$two" "$one" | tr '\n' ' ')"
is "loaded again" "1005 1005 2005 2005 " "$("$T/host" "$symbol" "=$one" "=$two" | tr '\n' ' ')"
is "compiles" 2 "$(compiles)"
rm "$T"/cache/value0.*
is "name taken" "1005 2005 1005 " "$("$T/host" "$symbol" "$one" "-$T/cache/value0.so" "$two" "$one" | tr '\n' ' ')"
is "the name's owner" 2 "$("$T/two/driver" value 0 5 | cut -c1)"
