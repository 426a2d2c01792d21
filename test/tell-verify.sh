#!/bin/sh
# `verify` finds every file of a cache that no call would load, says why, and with --repair removes what is damaged and ckjit's own: not what
# others put there, and not what is being compiled.
# tier: check
. "${0%/*}/common.sh"
need python3
need flock
. "$here/unit/build_fixture.sh"
. "$here/unit/prebuild_fixture.sh"
cd "$T"
export CK_JIT_CACHE_DIR="$T/c"
install_tree
mkdir -m 700 c
prebuild build blob_1 blob_2 blob_3 blob_4 --arch gfx942 >out 2>&1 || fail "build: $(cat out)"

# verify STATUS [WORD…]: it ends so
verify() {
  wanted=$1 status=0
  shift
  prebuild verify "$@" >out 2>err || status=$?
  [ "$status" = "$wanted" ] && [ ! -s err ] || fail "verify $*: status $status: $(cat out err)"
}
# bad STATE FILE TEXT: a line of the last one
bad() {
  tr '\t' ' ' <out | grep -qE "^$1 $2 .*$3" || fail "no '$1 $2 $3' in: $(cat out)"
}
verify 0
grep -qE "^4 files verified, [0-9.]+ kB, in $T/c: all are good$" out || fail "$(cat out)"
"$B/bin/ckjit" verify --cache-dir "$T/c" >said && cmp -s said out || fail "ckjit verify: $(cat said)"

# one of each: a bit, a file cut short, zeros, a stranger's, a link, another's mode, another name, a fragment
id=$(readelf -n c/blob_1.so | sed -n 's/.*Build ID: \(.*\)01000000$/\1/p')
other=$(printf '%s' "$id" | tr '0123456789abcdef' '123456789abcdef0')
mkdir c/.fragments c/.host
cp c/blob_1.so "c/moved.$other.so"
cp c/blob_1.so "c/good.$id.so"
cp c/blob_3.so c/.host/blob_3.so
head -c 500 c/blob_3.so >c/.host/blob_4.so
cp c/blob_1.so "c/.fragments/$id.o"
python3 - c/blob_2.so <<'END'
import sys
with open(sys.argv[1], "r+b") as f:
    f.seek(700)
    byte = f.read(1)[0]
    f.seek(700)
    f.write(bytes([byte ^ 1]))
END
head -c 1000 c/blob_3.so >x && cat x >c/blob_3.so
echo text >c/mine.so
ln -s blob_1.so c/link.so
chmod 666 c/blob_4.so
cp -a c before
verify 1
bad damaged blob_2.so 'content does not match its seal'
bad damaged blob_3.so 'is truncated'
bad damaged mine.so 'is not an ELF file'
bad damaged .host/blob_4.so 'is truncated'
bad foreign link.so 'symbolic link'
bad foreign blob_4.so 'writable by others'
bad misnamed "moved.$other.so" 'another build id than its name'
bad misnamed ".fragments/$id.o" 'another build id'
tail -n 1 out | grep -q ': 8 bad; --repair removes' || fail "$(cat out)"
diff -r --no-dereference before c >x || fail "changed: $(cat x)"
prebuild verify --json >json && fail 'json: status 0'
python3 - json <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
assert d["ckjit"] == 1 and d["files"] == 11 and d["bytes"] > 10000 and len(d["bad"]) == 8, d
assert all(not b["removed"] and b["stays"] is None for b in d["bad"]), d
END

# repaired; what is being compiled stays, and so does what may be somebody's
mkdir -p c/.locks
: >"c/.locks/$other"
flock "c/.locks/$other" "$T/i/ck_jit/ckjit-prebuild" verify --repair >out 2>err && fail "status 0: $(cat out)"
bad misnamed "moved.$other.so" 'stays: is being compiled'
bad damaged blob_2.so 'its seal; removed'
bad damaged mine.so 'stays: may not be ckjit'
bad foreign blob_4.so 'stays: may not be ckjit'
tail -n 1 out | grep -q ': 8 bad, 4 of them removed' || fail "$(cat out)"
[ "$(ls c)" = "$(printf '%s\n' blob_1.so blob_4.so "good.$id.so" link.so mine.so "moved.$other.so" | sort)" ] || fail "left: $(ls c)"
[ "$(find c/.host c/.fragments -type f)" = c/.host/blob_3.so ] || fail "left: $(find c/.host c/.fragments)"
rm c/mine.so c/link.so && chmod 600 c/blob_4.so
verify 0 --repair
bad misnamed "moved.$other.so" 'removed'
verify 0
[ -z "$(find c -name '*.tmp-*')" ] || fail "left: $(find c -name '*.tmp-*')"

# a compiler that the key does not name: by the manifest's list of inputs
printf 'ckjit-inputs 2\nheaders %032d\ncompiler %032d\t/usr/bin/x\ncomment another compiler\n' 0 0 >list
mkdir -p "$I/ck_jit_inputs" && cp list "$I/ck_jit_inputs/00"
python3 - "$I/ck_jit_manifest.json" <<'END'
import json, sys
m = json.load(open(sys.argv[1]))
m["groups"][0]["inputs"] = "00"
json.dump(m, open(sys.argv[1], "w"))
END
prebuild verify >out 2>err && fail "another compiler: $(cat out)"
bad compiler blob_1.so 'made by another compiler than its key names'
sed -i "s/^comment .*/comment $(readelf -p .comment c/blob_1.so | sed -n 's/^ *\[ *0\]  //p')/" "$I/ck_jit_inputs/00"
verify 0

status=0
prebuild clean --all --repair 2>err || status=$?
[ "$status" = 2 ] && grep -q 'clean: --repair goes with verify' err || fail "$(cat err)"
prebuild verify --cache-dir "$T/none" 2>err && fail 'a directory that is not there'
chmod 755 c && prebuild verify 2>err && fail 'a cache that is open to others'
grep -q 'is open to other users' err || fail "$(cat err)"
