#!/bin/sh
# pack writes what a cache has to one file, unpack adds it to another: whole, once, from a pipe too. What is not in the cache, not of the
# architecture or not there to be written is said, and leaves nothing. The same entries are the same file.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
. "${0%/*}/unit/pack_fixture.sh"
many lib 4
install lib
lib=$T/lib/libkernels.so
refused() {
  wanted_=$1
  shift
  "$@" >"$T/out" 2>"$T/err" && fail "$*: it went well: $(cat "$T/out")"
  grep -q -e "$wanted_" "$T/err" || fail "$*: no '$wanted_' but: $(cat "$T/err")"
}
export CK_JIT_CACHE_DIR="$T/cache"
refused "the cache directory .* does not exist" prebuild pack --all --cache-dir "$T/nowhere" -o "$T/p"
refused "has no entry of any of the 4 blobs; compile them" prebuild pack --all -o "$T/p"
for arch in gfx942 gfx950 'gfx942;gfx950'; do
  CK_JIT_ARCH=$arch api "open:$lib" compile:k0:store >/dev/null
done
CK_JIT_CAPTURE=$T/capture CK_JIT_ARCH=gfx942 api "open:$lib" stub:_Z6value_ILi1EEii:5 >/dev/null
is "entries to pack" 4 "$(find "$T/cache" -name '*.so' | wc -l)"

# what goes in
prebuild pack --all -o "$T/p" >"$T/out" 2>"$T/err" || fail "$(cat "$T/err")"
has "packed" "4 entries of 2 blobs" "$T/out"
has "not packed" "2 of 4 blobs are not in it" "$T/err"
prebuild pack --all --arch gfx942 -o "$T/one" >"$T/out" 2>/dev/null
has "of one architecture" "2 entries of 2 blobs" "$T/out"
prebuild pack --capture "$T/capture" -o "$T/captured" >"$T/out"
has "of a capture" "1 entry of 1 blob" "$T/out"
prebuild pack k0 -o - >"$T/k0" 2>"$T/err"
is "said beside standard output" "" "$(cat "$T/err")"
prebuild pack --all -o "$T/again" >/dev/null 2>&1
cmp "$T/p" "$T/again" || fail "the same entries are another file"
tar --zstd -tf "$T/p" >"$T/out" || fail "tar does not read it"
is "members" 5 "$(wc -l <"$T/out")"
refused "k2: the cache .* has no entry of it" prebuild pack k0 k2 -o "$T/none"
refused "k1: the cache .* has no entry of it for gfx950" prebuild pack k1 --arch gfx950 -o "$T/none"
refused "expected --output FILE" prebuild pack --all
refused "it is a directory" prebuild pack --all -o "$T"
refused "cannot be written" prebuild pack --all -o /proc/none/p
[ ! -c /dev/full ] || refused "cannot be written" sh -c "'$prebuild_' pack --all -o - >/dev/full"
is "left" "" "$(find "$T" -maxdepth 1 -name 'none*')"

# where it goes
prebuild unpack --cache-dir "$T/other" "$T/p" >"$T/out" || fail "unpack"
has "added" "4 added, 0 in the cache already, $T/other" "$T/out"
is "mode" 700 "$(stat -c %a "$T/other")"
for name in "$T"/cache/*.so; do
  id=$(readelf -n "$name" | sed -n 's/.*Build ID: //p')
  for there in "$T/other/${name##*/}" "$T/other/$(basename "$name" | cut -d. -f1).so" "$T/other/$(basename "$name" | cut -d. -f1).${id%????????}.so"; do
    cmp -s "$name" "$there" && continue 2
  done
  fail "$name is not in it"
done
prebuild unpack --cache-dir "$T/other" - <"$T/p" >"$T/out"
has "again" "0 added, 4 in the cache already" "$T/out"
zstd -q -d -c "$T/k0" | prebuild unpack --cache-dir "$T/third" - >"$T/out"
has "decompressed, from a pipe" "3 added" "$T/out"
dd if="$T/p" bs=777 2>/dev/null | prebuild unpack --cache-dir "$T/third" - >"$T/out"
has "merged" "1 added, 3 in the cache already" "$T/out"
is "nothing but entries" "" "$(find "$T/third" -mindepth 1 ! -name 'k[01]*.so')"
# a readable directory of an image's own
mkdir -m 755 "$T/image"
prebuild unpack --cache-dir "$T/image" "$T/one" >/dev/null || fail "into an image's"
mkdir -m 777 "$T/open" && chmod 777 "$T/open"
refused "is open to other users" prebuild unpack --cache-dir "$T/open" "$T/one"
is "into one that is open" "" "$(find "$T/open" -mindepth 1)"
# another's entry keeps its name, and what is damaged is replaced
many two 4 2
mkdir -m 700 "$T/mixed"
CK_JIT_ARCH=gfx942 CK_JIT_CACHE_DIR=$T/mixed api "open:$T/two/libkernels.so" compile:k0:store >/dev/null
echo damaged >"$T/mixed/k1.so"
prebuild unpack --cache-dir "$T/mixed" "$T/one" >"$T/out"
has "beside another's" "2 added" "$T/out"
export CK_JIT_ON_MISS=error CK_JIT_ARCH=gfx942
is "the other's" "1000005 " "$(CK_JIT_CACHE_DIR=$T/mixed api "open:$T/two/libkernels.so" stub:_Z6value_ILi0EEii:5 | tr '\n' ' ')"
for dir in mixed image other; do
  is "called, from $dir" "5 1005 " "$(CK_JIT_CACHE_DIR=$T/cache2 CK_JIT_CACHE_READONLY_DIR=$T/$dir api "open:$lib" stub:_Z6value_ILi0EEii:5 stub:_Z6value_ILi1EEii:5 | tr '\n' ' ')"
done
refused "its entry k0 is for gfx950, expected\|its entry k0 is for gfx942;gfx950" prebuild unpack --cache-dir "$T/x" --arch gfx942 "$T/p"
prebuild unpack --cache-dir "$T/x" --arch gfx942 "$T/one" >/dev/null || fail "--arch"
refused "expected one FILE" prebuild unpack
refused "cannot be opened" prebuild unpack "$T/none"
# no program is needed
PATH=$T/nothing "$prebuild_" pack --all -o "$T/again" >/dev/null 2>&1 || fail "pack without a PATH"
cmp "$T/p" "$T/again" || fail "without a PATH it is another file"
PATH=$T/nothing "$prebuild_" unpack --cache-dir "$T/alone" "$T/p" >"$T/out" || fail "unpack without a PATH"
has "without a PATH" "4 added" "$T/out"
# one that was decompressed before: a file, a file as standard input, a pipe, and the socket that sshd gives
zstd -q -d -c "$T/p" >"$T/plain"
for how in file input pipe socket; do
  case $how in
  file) PATH=$T/nothing "$prebuild_" unpack --cache-dir "$T/plain.$how" "$T/plain" ;;
  input) PATH=$T/nothing "$prebuild_" unpack --cache-dir "$T/plain.$how" - <"$T/plain" ;;
  pipe) dd if="$T/plain" bs=777 2>/dev/null | PATH=$T/nothing "$prebuild_" unpack --cache-dir "$T/plain.$how" - ;;
  socket) python3 - "$T" "$prebuild_" <<'END' ;;
import socket, subprocess, sys
top, prebuild = sys.argv[1:]
ours, its = socket.socketpair()
child = subprocess.Popen([prebuild, "unpack", "--cache-dir", top + "/plain.socket", "-"], stdin=its, env={"PATH": top + "/nothing"})
its.close()
ours.sendall(open(top + "/plain", "rb").read())
ours.close()
sys.exit(child.wait())
END
  esac >"$T/out" 2>"$T/err" || fail "decompressed, $how: $(cat "$T/err")"
  has "decompressed, $how" "4 added" "$T/out"
done
