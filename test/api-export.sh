#!/bin/sh
# ckjit_export, from C and Python: what `ckjit-prebuild export` writes, as bytes in memory. In all formats, for several architectures, with new
# names and flags, by threads; errors have a status and a message, and leave nothing. No cache is touched.
# tier: long
# seconds: 45
. "${0%/*}/common.sh"
. "$here/unit/export_fixture.sh"
# shellcheck disable=SC2086 # flags
gcc -std=gnu11 -D_GNU_SOURCE -O1 -g ${LIB_CFLAGS-} -I"$here/.." "$here/unit/runtime_api.c" -o "$T/api" -L"$B/lib" -lckjit -ldl -pthread -Wl,-rpath,"$B/lib"
lib=$demo/libdemo.so
unset CK_JIT_MANIFEST
api() {
  "$T/api" "open:$lib" "$@"
}
# as_command FORMAT ARCHS: of k64, the same bytes as by the command
as_command() {
  CK_JIT_MANIFEST=$demo/w/libdemo/ck_jit_manifest.json "$B/bin/ckjit-prebuild" export k64 --format "$1" --arch "$2" --output - >"$T/command" 2>"$T/err" ||
    fail "export: $(cat "$T/err")"
  is "$1 for $2" "$(stat -c %s "$T/command") bytes" "$(api "export:k64:$1:$T/bytes:$2")"
  cmp "$T/command" "$T/bytes" || fail "$1 for $2: other bytes than the command's"
}
as_command so "gfx90a;gfx908"
as_command obj "$arch"
as_command code-object "gfx90a;gfx908"
as_command asm "$arch"

# a name, flags, and what a first call here would compile for
CK_JIT_ARCH=gfx908 api "export:k64:asm:$T/asm:||kentry" >"$T/said"
grep -q '^kentry:' "$T/asm" && grep -q 'amdgcn-amd-amdhsa--gfx908' "$T/asm" || fail "$(cat "$T/said" "$T/asm")"
printf 'template <typename T> __global__ void more(T *p) { *p = ADDED; }\ntemplate __global__ void more<int>(int *);\n' >"$T/more.h"
api "export:k64:asm:$T/asm:$arch|-DADDED=4711 -include $T/more.h" >"$T/said"
grep -q '4711\|0x1267' "$T/asm" || fail "the flags were not used: $(cat "$T/said")"

# threads that want the same get the same, each its own
is "threads with all bytes" 4 "$(api "exports:4:k128:code-object:$arch")"

# refused WORDS STATUS COMMAND
refused() {
  api "$3" >"$T/said" 2>&1 && fail "$3 is no error: $(cat "$T/said")"
  head -n 1 "$T/said" | grep -q "^$2: " && grep -q -e "$1" "$T/said" || fail "$3 did not say $2 and '$1': $(cat "$T/said")"
  lacks "$3" 'left something' "$T/said"
  lacks "$3" 'the next call' "$T/said"
  [ ! -e "$T/no" ] || fail "$3 wrote a file"
}
refused "unknown format 'elf': expected so, obj" CKJIT_E_INVALID "export:k64:elf:$T/no"
refused 'is of one architecture, not of' CKJIT_E_FAILED "export:k64:asm:$T/no:gfx90a;gfx908"
refused 'gfx9999' CKJIT_E_FAILED "export:k64:code-object:$T/no:gfx9999"
refused 'no code for gfx908: an #if removes its kernel' CKJIT_E_FAILED "export:k32:code-object:$T/no:gfx908"
refused 'it defines no function absent' CKJIT_E_FAILED "export:k64:so:$T/no:$arch||absent=b"
refused "expected NAME or OLD=NAME" CKJIT_E_FAILED "export:k64:so:$T/no:$arch||a b"
CK_JIT_ON_MISS=error
export CK_JIT_ON_MISS
refused 'CK_JIT_ON_MISS is error' CKJIT_E_MISS "export:k64:so:$T/no"
unset CK_JIT_ON_MISS
CK_JIT_HIPCC=/bin/false
export CK_JIT_HIPCC
refused 'failed with status\|/bin/false' CKJIT_E_FAILED "export:k64:so:$T/no:$arch"
unset CK_JIT_HIPCC
[ -z "$(find "$T/cache" -name '*.so' 2>/dev/null)" ] || fail "there is something in the cache: $(ls "$T/cache")"

[ -z "${SANITIZER-}" ] || exit 0
CK_JIT_MANIFEST=$demo/w/libdemo/ck_jit_manifest.json "$B/bin/ckjit-prebuild" export k64 --format code-object --arch "$arch" --symbol scale --output - >"$T/command"
cat >"$T/export.py" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
import ckjit
kernel = ckjit.Library(sys.argv[2])["k64"]
image = kernel.export("code-object", sys.argv[3], symbols=["scale"])
assert isinstance(image, bytes) and image == open(sys.argv[4], "rb").read(), len(image)
text = kernel.export("asm", sys.argv[3], flags="-DADDED=4711 -include " + sys.argv[5])
assert b"4711" in text or b"0x1267" in text, text
for format, words in (("elf", "unknown format 'elf'"), ("asm", "is of one architecture")):
    try:
        kernel.export(format, "gfx90a;gfx908")
        assert False, format
    except ckjit.Error as e:
        assert words in str(e) and e.status == (1 if format == "elf" else 7), e
END
LIBCKJIT=$B/lib/libckjit.so PYTHONDONTWRITEBYTECODE=1 python3 "$T/export.py" "$here/../examples/ctypes" "$lib" "$arch" "$T/command" "$T/more.h"
