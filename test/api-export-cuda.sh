#!/bin/sh
# ckjit_export of a blob of CUDA and of kernels of a lazy unit: what `ckjit-prebuild export` writes, as bytes in memory. What there is not is an
# error with the command's own words. No cache is touched, and no GPU is needed.
# tier: all
# seconds: 14
. "${0%/*}/common.sh"
. "$here/unit/export_cuda_fixture.sh"
# shellcheck disable=SC2086 # flags
gcc -std=gnu11 -D_GNU_SOURCE -O1 -g ${LIB_CFLAGS-} -I"$here/.." "$here/unit/runtime_api.c" -o "$T/api" -L"$B/lib" -lckjit -ldl -pthread -Wl,-rpath,"$B/lib"
lib=$demo/libdemo.so
manifest=$CK_JIT_MANIFEST
unset CK_JIT_MANIFEST
# same BLOB FORMAT ARCHS: the same bytes as by the command
same() {
  CK_JIT_MANIFEST=$manifest "$B/bin/ckjit-prebuild" export "$1" --format "$2" --arch "$3" --output - >"$T/command" 2>"$T/err" ||
    fail "export: $(cat "$T/err")"
  is "$1 as $2 for $3" "$(stat -c %s "$T/command") bytes" "$("$T/api" "open:$lib" "export:$1:$2:$T/bytes:$3")"
  cmp "$T/command" "$T/bytes" || fail "$1 as $2 for $3: other bytes than the command's"
}
refused() { # WORDS BLOB:FORMAT ARCHS
  "$T/api" "open:$lib" "export:$2:$T/no:$3" >"$T/said" 2>&1 && fail "$2 is no error: $(cat "$T/said")"
  grep -q '^CKJIT_E_FAILED: ' "$T/said" && grep -q -e "$1" "$T/said" || fail "$2 did not say '$1': $(cat "$T/said")"
  lacks "$2" 'left something' "$T/said"
}
same k64 code-object sm_90
same k64 code-object 'sm_90;compute_90'
same k64 asm sm_90
same k64 so 'sm_80;sm_90'
"$T/api" "open:$lib" "export:k64:asm:$T/ptx:sm_90|-DADDED=1|kernel_64" >"$T/said"
grep -q '^\.visible \.entry kernel_64(' "$T/ptx" || fail "no new name: $(cat "$T/said")"
refused 'no code for sm_80: its kernel is empty' k16:code-object sm_80
refused 'sm_1' k64:code-object sm_1
[ -z "$(find "$T/cache" -name '*.so' 2>/dev/null)" ] || fail "there is something in the cache: $(ls "$T/cache")"
