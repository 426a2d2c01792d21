#!/bin/sh
# The runtime is one translation unit that lists its parts, and shows the linker three names. Each part compiles alone as well, without
# a warning; its header has what the others need of it: a library that is linked of the parts works.
# tier: check
# seconds: 20
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
library lib
cp -r "$T/lib" "$T/alone"
warn=$(sed -n 's/^WARN = //p' "$top/Makefile")
# compile CC WORD…
compile() {
  cc_=$1
  shift
  # shellcheck disable=SC2086 # flags are words
  "$cc_" $warn -O1 -fPIC -fvisibility=hidden -fexceptions -I"$top/abi" "$@" 2>"$T/said"
}

parts=
for file in "$top"/runtime/*.c; do
  case $file in
  */ck_jit_runtime.c | */ck_jit_cuda_link.c) ;;
  *) parts="$parts${file##*/} " ;;
  esac
done
is "the list" "$parts" "$(sed -n 's/^#include "\(ck_jit_[a-z_]*\.c\)".*/\1/p' "$top/runtime/ck_jit_runtime.c" | sort | tr '\n' ' ')"

mkdir "$T/units" "$T/units-cuda"
"$B/test/unit/gpucalls" cuda >"$T/units-cuda/ck_jit_unit_calls.h"
"$B/test/unit/gpucalls" hip >"$T/units/ck_jit_unit_calls.h"
compilers=gcc
command -v clang >/dev/null && compilers='gcc clang'
for cc in $compilers; do
  objects=
  compile "$cc" -DCKJIT_ENTRY -I"$T/units-cuda" -fsyntax-only "$top/runtime/ck_jit_cuda_kernels.c" || fail "what is compiled into entries, $cc: $(cat "$T/said")"
  for part in $parts; do
    compile "$cc" -c "$top/runtime/$part" -o "$T/$cc-$part.o" || fail "$part alone, $cc: $(cat "$T/said")"
    objects="$objects $T/$cc-$part.o"
  done
  # shellcheck disable=SC2086
  g++ -shared -Wl,-z,defs -o "$T/alone/libkernels.so" "$T/lib/stubs.o" "$T/lib/tables.o" $objects "$T/lib/throw.o"
  is "of parts, $cc" 1102 "$("$T/alone/driver" value 1 2)"
  compile "$cc" -c "$top/runtime/ck_jit_runtime.c" -o "$T/$cc.o" || fail "in one, $cc: $(cat "$T/said")"
  compile "$cc" -DCKJIT_LAZY=1 -I"$T/units" -c "$top/runtime/ck_jit_runtime.c" -o "$T/$cc-lazy.o" || fail "in one, $cc, lazy units: $(cat "$T/said")"
  compile "$cc" -DCKJIT_LAZY=1 -DCKJIT_CUDA=1 -I"$T/units-cuda" -c "$top/runtime/ck_jit_runtime.c" -o "$T/$cc-lazy.o" || fail "in one, $cc, lazy units of CUDA: $(cat "$T/said")"
  compile "$cc" -DCKJIT_CUDA=1 -fsyntax-only \
    "$top/runtime/ck_jit_runtime.c" || fail "in one, $cc, CUDA: $(cat "$T/said")"
  is "names, $cc" 'ckjit_api ckjit_imports ckjit_resolve ckjit_together ckjit_trampoline ' "$(nm -g --defined-only "$T/$cc.o" | sed 's/.* //' | sort | tr '\n' ' ')"
done

# what the compiler says of a part that has something for others which its header lacks
sed '$a int ckjit_of_no_header(void) { return 0; }' "$top/runtime/ck_jit_text.c" >"$T/ck_jit_text.c"
compile gcc -I"$top/runtime" -c "$T/ck_jit_text.c" -o "$T/no.o" && fail 'a function that no header has is not seen'
has 'a function that no header has' ckjit_of_no_header "$T/said"
