#!/bin/sh
# `cache` prints where the cache is and what is in it: by library, by the architectures that the code itself names, what was used least
# recently; as a list for --blob-list, and as JSON with plain numbers.
# tier: check
. "${0%/*}/common.sh"
need python3
. "$here/unit/build_fixture.sh"
. "$here/unit/prebuild_fixture.sh"
cd "$T"
unset CK_JIT_CACHE_MAX_SIZE CK_JIT_CACHE_MAX_FILES CK_JIT_MANIFEST
mkdir -m 700 c c/.locks c/.used c/.logs
export CK_JIT_CACHE_DIR="$T/c"
install_tree

# section NAME FILE: a shared object with the file in that section
section() {
  printf '.section %s,"a"\n.balign 8\n.incbin "%s"\n.section .note.GNU-stack,"",@progbits\n' "$1" "$2" >s.s
  gcc -shared -nostdlib s.s -o "$3"
}
python3 - <<'END'
import struct
ids = [b"host-x86_64-unknown-linux-gnu-", b"hipv4-amdgcn-amd-amdhsa--gfx942:xnack-", b"hipv4-amdgcn-amd-amdhsa--gfx950"]
bundle = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(ids))
for name in ids:
    bundle += struct.pack("<QQQ", 4096, 0, len(name)) + name
def fat(*entries):
    body = b"".join(struct.pack("<HHIQIIII", kind, 257, 64, 8, 0, 0, 0, arch) + bytes(64 - 32) + bytes(8) for kind, arch in entries)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body
open("hip", "wb").write(bundle)
open("torn", "wb").write(bundle[:-20])
open("packed", "wb").write(b"CCOB" + bytes(60))
open("cuda", "wb").write(fat((2, 90)) + bytes(24) + fat((1, 120), (2, 90), (7, 3)))
open("wrong", "wb").write(fat((2, 90))[:-30] + struct.pack("<IHHQ", 0xBA55ED50, 1, 16, 1 << 60))
END
section .hip_fatbin hip c/blob_1.so
section .nv_fatbin cuda c/blob_2.0123456789abcdef.so
section .nv_fatbin wrong c/wrong.so
section .hip_fatbin packed "c/packed.$(printf '%048d' 7).so"
section .hip_fatbin torn c/torn.so
gcc -shared -nostdlib -x c /dev/null -o c/other.so
printf '1\t1700000000000\t-\tother\t\n' >c/.used/libother.so
echo log >c/.logs/blob_1.log
touch -d '3 days ago' c/blob_1.so && touch -d '2 days ago' c/other.so

"$B/bin/ckjit" cache --manifest "$I/ck_jit_manifest.json" >said || fail 'ckjit cache'
prebuild cache >out || fail 'cache'
sed 's/, [^,]* ago)//' out >a && sed 's/, [^,]* ago)//' said | cmp -s a - || fail "ckjit cache prints another: $(cat said)"
[ "$(grep Cache out | head -n 1)" = "Cache: $T/c  (6 entries, $(cat c/*.so | wc -c | awk '{ printf "%.1f kB", $1 / 1000 }'))" ] || fail "$(cat out)"
says() {
  grep -qE "$1" out || fail "no '$1' in: $(cat out)"
}
says '^ +2 .* lib\.so$'
says '^ +1 .* libother\.so$'
says '^ +3 .* not known$'
says '^ +1 .* gfx942:xnack-;gfx950$'
says '^ +1 .* sm_90;compute_120$'
says '^ +1 .* compressed$'
says '^Other files: 1 .logs'
says '^Limit: none'
[ "$(sed -n '/^Least/{n;p;}' out)" = "  blob_1.so  ($(wc -c <c/blob_1.so | awk '{ printf "%.1f kB", $1 / 1000 }'), 3 days ago)" ] || fail "$(cat out)"
CK_JIT_CACHE_MAX_SIZE=1M CK_JIT_CACHE_MAX_FILES=12 prebuild cache --verbose >out || fail "$(cat out)"
says '^Limit: 1.0 MB \(CK_JIT_CACHE_MAX_SIZE\), [0-9]+% used'
says '^Limit: 12 entries .* 50% used'
says '^  torn.so  \('

# a list that build takes; kernels of one blob are that blob
prebuild cache --format blob-list >list || fail 'blob-list'
[ "$(tr '\n' ' ' <list)" = 'blob_1 blob_2 other packed torn wrong ' ] || fail "list: $(cat list)"
prebuild cache --write-blob-list file >out && cmp -s list file && grep -q '^Cache: ' out || fail "$(cat out)"
prebuild cache --write-blob-list - | cmp -s list - || fail 'to standard output'

prebuild cache --json >json || fail 'json'
python3 - json "$T/c" <<'END'
import json, os, sys
d = json.load(open(sys.argv[1]))
files = {f["file"]: f for f in d["files"]}
assert d["ckjit"] == 1 and d["cache"] == sys.argv[2] and d["entries"] == 6 == len(files) and d["other_bytes"] == 4, d
assert d["bytes"] == sum(os.path.getsize(os.path.join(sys.argv[2], f)) for f in files) == sum(x["bytes"] for x in d["libraries"]), d
one = files["blob_2.0123456789abcdef.so"]
assert one["stem"] == "blob_2" and one["library"] == "lib.so" and one["architectures"] == ["sm_90", "compute_120"], one
assert abs(files["blob_1.so"]["used"] - os.stat(sys.argv[2] + "/blob_1.so").st_mtime) < 0.002
assert files["other.so"]["library"] == "libother.so" and files["torn.so"]["library"] is None
assert d["next"][:2] == ["blob_1.so", "other.so"] and ".logs/blob_1.log" in d["next"] and len(d["next"]) == 7, d["next"]
assert d["max_bytes"] == 0
END

# what cannot be looked into, and what was mistyped
rm -r c && prebuild cache --cache-dir "$T/none" 2>err && fail 'a directory that is not there'
grep -q "cache: the cache directory $T/none (--cache-dir) does not exist" err || fail "$(cat err)"
(unset CK_JIT_CACHE_DIR && XDG_CACHE_HOME=$T/xdg prebuild cache >out 2>err) || fail "$(cat err)"
grep -q 'note: the cache directory .* does not exist yet' err && grep -q '(0 entries, 0 B)' out || fail "$(cat out err)"
status=0
prebuild cache --format table 2>err || status=$?
[ "$status" = 2 ] && grep -q 'expected human or blob-list' err || fail "$(cat err)"
status=0
prebuild list --write-blob-list x 2>err || status=$?
[ "$status" = 2 ] && grep -q 'list: --write-blob-list goes with cache' err || fail "$(cat err)"
