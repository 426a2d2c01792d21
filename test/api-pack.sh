#!/bin/sh
# ckjit_pack and ckjit_unpack, from C and Python: the pack of `ckjit pack`, as bytes in memory; what is unpacked is found by calls of a
# process that may not compile. Bytes that are no pack, or damaged, are an error that says so, and add nothing.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/export_fixture.sh"
need zstd
# shellcheck disable=SC2086 # flags
gcc -std=gnu11 -D_GNU_SOURCE -O1 -g ${LIB_CFLAGS-} -I"$here/.." "$here/unit/runtime_api.c" -o "$T/api" -L"$B/lib" -lckjit -ldl -pthread -Wl,-rpath,"$B/lib"
lib=$demo/libdemo.so
export CK_JIT_ARCH="$arch"
api() {
  "$T/api" "open:$lib" "$@"
}
# refused WORDS STATUS COMMAND
refused() {
  api "$3" >"$T/said" 2>&1 && fail "$3 is no error: $(cat "$T/said")"
  head -n 1 "$T/said" | grep -q "^$2: $lib: " && grep -q -e "$1" "$T/said" || fail "$3 did not say $2 and '$1': $(cat "$T/said")"
  lacks "$3" 'left something' "$T/said"
}
refused 'pack: the cache .* has no entry of any of the 5 blobs' CKJIT_E_FAILED "pack:$T/none"
api compile:k64 state:k64 | grep -qx loaded || fail 'not compiled'
api "pack:$T/pack" >"$T/said" || fail "$(cat "$T/said")"
"$B/bin/ckjit" pack --all --output "$T/command" "$lib" >/dev/null && cmp "$T/pack" "$T/command" || fail "other bytes than the command's"
is 'bytes' "$(stat -c %s "$T/pack") bytes" "$(cat "$T/said")"

# into another cache, where nothing is compiled
export CK_JIT_CACHE_DIR="$T/other" CK_JIT_ON_MISS=error
is unpacked unpacked "$(api "unpack:$T/pack")"
[ "$(ls "$T/other")" = k64.so ] && is state cached "$(api state:k64)" || fail "$(ls -A "$T/other")"
api compile:k64 >/dev/null || fail 'it is not loaded'
is 'unpacked twice' unpacked "$(api "unpack:$T/pack")"

# what is no pack, or was one
export CK_JIT_CACHE_DIR="$T/third"
echo 'this is no pack' >"$T/text"
refused 'the pack: it is not a pack: it begins neither like its tar nor like the output of zstd' CKJIT_E_FAILED "unpack:$T/text"
zstd -qdc "$T/pack" | head -c 4000 >"$T/short"
refused 'the pack: it is truncated: it ends within k64' CKJIT_E_FAILED "unpack:$T/short"
grep -q 'nothing was unpacked' "$T/said" || fail "$(cat "$T/said")"
[ -z "$(ls "$T/third" 2>/dev/null)" ] || fail "$(ls -A "$T/third")"
api unpack: >"$T/said" && fail 'no bytes are a pack'
grep -q '^CKJIT_E_INVALID: ckjit_unpack: expected a library and the bytes of a pack' "$T/said" || fail "$(cat "$T/said")"
CK_JIT_DISABLE_FILE_CACHING=1 refused 'CK_JIT_DISABLE_FILE_CACHING is set: there is no cache' CKJIT_E_FAILED "unpack:$T/pack"

LIBCKJIT="$B/lib/libckjit.so" PYTHONPATH="$here/../examples/ctypes" python3 - "$lib" "$T/pack" <<'END'
import sys, ckjit
library = ckjit.Library(sys.argv[1])
data = open(sys.argv[2], "rb").read()
try:
    library.unpack(b"no pack")
    sys.exit("no pack was unpacked")
except ckjit.Error as e:
    assert e.status == 7 and "it is not a pack" in str(e), e
assert library["k64"].state == "absent"
library.unpack(data)
assert library["k64"].state == "cached" and library.pack() == data
END
