#!/bin/sh
# Functions of random signatures give the same by their stubs, in the first call and later ones, as directly: structs by value and by
# reference, homogeneous aggregates, vectors, varargs, results of all these.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
need python3
seed
COUNT=${COUNT:-150}
dir=$T/lib key=1 flags="-O1 -w -I$T"
mkdir -p "$dir/ck_jit/src"
python3 "$unit/signatures.py" "$SEED" "$COUNT" "$T"
printf '#include "types.h"\nnamespace kernels {\n#include "functions.h"\n}\n' >"$dir/ck_jit/src/random.cu"
cp "$B/bin/ckjit-compile" "$dir/ck_jit/ckjit-compile"
"${cross}g++" -O1 -w -I"$T" -c -o "$T/calls.o" "$T/calls.cpp"
nm -u "$T/calls.o" | sed -n 's|.* U \(_ZN7kernels.*\)|{root}/src/random.cu \1|p' >"$dir/symbols"
is "functions" "$COUNT" "$(wc -l <"$dir/symbols")"
link_library
"${cross}g++" "$T/calls.o" -o "$dir/calls" -L"$dir" -lkernels -Wl,-rpath,"$dir"
emulated "$dir/calls"
is "results, seed $SEED" ok "$("$dir/calls")"
is "compiles" 1 "$(compiles)"
