#!/bin/sh
# What libckjit.so tells of kernels: stems, sources, architectures, build ids, functions by their names, also where the library
# does not export them. Any name that ckjit-prebuild takes finds a kernel, and so does a function's.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/runtime_fixture.sh"
library lib
lib=$T/lib/libkernels.so
api "open:$lib" list >"$T/out"
is "kernels" "arguments value0 value1 value2 " "$(sed -n 's/ absent .*//p' "$T/out" | sort | tr '\n' ' ')"
is "functions" "$(wc -l <"$T/lib/symbols")" "$(grep -c '^  _Z' "$T/out")"
sed 's/.* //' "$T/lib/symbols" | sort >"$T/wanted"
sed -n 's/^  \(_Z[^ ]*\) .*/\1/p' "$T/out" | sort | cmp -s "$T/wanted" - || fail "not the symbols: $(cat "$T/out")"
has "demangled" "  int value_<1>(int)" "$T/out"
api "open:$lib" info:value1 >"$T/out"
has "source" "$T/lib/ck_jit/src/value1.cu" "$T/out"
has "architectures" "gfx942;gfx950" "$T/out"
is "architectures of CK_JIT_ARCH" gfx1100 "$(CK_JIT_ARCH=gfx1100 api "open:$lib" info:value1 | sed -n 2p)"
id=$(sed -n 3p "$T/out")
is "compiled" "stored" "$(api "open:$lib" compile:value1:store)"
is "build id" "${id}01000000" "$(readelf -n "$T/cache/value1.so" | sed -n 's/.*Build ID: //p')"

symbol=$(sed -n 's/.* \(_Z6value_ILi2.*\)/\1/p' "$T/lib/symbols")
for name in value2 value2.cu /else/where/value2.cu "$T/lib/ck_jit/src/value2.cu" value2.so "$T/cache/value2.so" "value2.$id.so"; do
  is "find $name" "value2 -1" "$(api "open:$lib" "find:$name")"
done
is "find a function" "value2 0" "$(api "open:$lib" "find:$symbol")"
for name in value value22 value2.c.u "value2.${id%?}.so" '' _Z6value_; do
  api "open:$lib" "find:$name" >"$T/out" && fail "'$name' was found: $(cat "$T/out")"
  has "'$name'" "CKJIT_E_NOT_FOUND: $lib: there is no kernel '$name', and no function" "$T/out"
done

# functions that the library hides: by a version script they are known once they are compiled
echo '{ local: *; };' >"$T/hide"
"${cross}g++" -shared -Wl,--version-script="$T/hide" -o "$T/lib/hidden.so" "$T/lib/stubs.o" "$T/lib/tables.o" "$T/lib/runtime.o" "$T/lib/throw.o"
api "open:$T/lib/hidden.so" list >"$T/out"
is "hidden" "$(wc -l <"$T/lib/symbols")" "$(grep -c '^  -  -' "$T/out")"
is "found all the same" "value2 0" "$(api "open:$T/lib/hidden.so" "find:$symbol")"
api "open:$T/lib/hidden.so" compile:value2 symbol:0:"$symbol":7 list >"$T/out"
has "called" 1207 "$T/out"
has "learnt" "  $symbol  int value_<2>(int)" "$T/out"
