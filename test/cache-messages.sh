#!/bin/sh
# A cache directory that cannot be used is answered with what helps: chmod only for what is a cache, a directory below it for /tmp, a
# home or a disk; for one that cannot be written to, CK_JIT_CACHE_DIR and CK_JIT_CACHE_READONLY_DIR.
# tier: check
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unit/build_fixture.sh"
. "$(dirname "$0")/unit/prebuild_fixture.sh"
install_tree
umask 022
below='is open to other users and holds other files; set CK_JIT_CACHE_DIR to a directory below it'
# says TEXT DIR: both programs; and nothing is made in DIR
says() {
  before=$(files "$2")
  refused 1 "error: the cache directory $2 $1" prebuild build blob_1 --cache-dir "$2"
  refused 1 "error: .*the cache directory $2 $1" "$I/ckjit-compile" --blob-source "$I/src/blob_1.cu" --blob-flags "-I$I/include" --cache \
    --output "$2/blob_1.so"
  [ "$before" = "$(files "$2")" ] || fail "something was made in $2"
}
no_chmod() {
  says "$@"
  lacks "chmod of $2 is said" chmod "$T/refused.err"
}
mkdir "$T/sticky" "$T/home" "$T/empty"
chmod 1777 "$T/sticky"
echo thesis >"$T/home/thesis"
no_chmod "$below" "$T/sticky"
no_chmod "$below" "$T/home"
[ "$(id -u)" != 0 ] || [ ! -d /srv ] || no_chmod "$below" /srv # just below the root
says 'is open to other users; expected mode 0700: chmod 700 it if it is for a cache alone, or set CK_JIT_CACHE_DIR to a directory below' \
  "$T/empty"
prebuild build blob_1 --cache-dir "$T/cache" >/dev/null
chmod 755 "$T/cache"
says 'is open to other users; expected mode 0700 (chmod 700) \[ckjit help cache-not-trusted\]$' "$T/cache"
chmod 1777 "$T/cache"
no_chmod "$below" "$T/cache"
chmod 700 "$T/cache"
# what is said helps
prebuild build blob_1 --cache-dir "$T/sticky/mine" >/dev/null
[ "$(stat -c %a "$T/sticky/mine")" = 700 ] || fail 'not made with mode 0700'

echo >"$T/file"
refused 1 "cannot make the cache directory $T/file: .*; set CK_JIT_CACHE_DIR to another directory" prebuild build blob_1 --cache-dir "$T/file"

# read-only
ro=$T/cache
if [ "$(id -u)" = 0 ]; then
  ro=$T/ro
  mkdir "$ro"
  trap 'umount "$ro" 2>/dev/null || :; rm -rf "$T"' EXIT
  mount --bind "$T/cache" "$ro" 2>/dev/null && mount -o remount,bind,ro "$ro" || skip 'no file system can be mounted here'
else
  chmod 500 "$ro"
fi
advice='set CK_JIT_CACHE_DIR to a directory that you can write to, and CK_JIT_CACHE_READONLY_DIR to this cache if it has entries'
prebuild build blob_1 --cache-dir "$ro" >/dev/null || fail 'nothing was to be written'
refused 1 "error: cannot write to the cache directory $ro: .*; $advice" prebuild build blob_2 --cache-dir "$ro"
[ ! -s "$T/refused.out" ] || fail "it began: $(cat "$T/refused.out")"
refused 1 "error: .*cannot make .*$ro.*; $advice" "$I/ckjit-compile" --blob-source "$I/src/blob_2.cu" --blob-flags "-I$I/include" --cache \
  --output "$ro/blob_2.so"
refused 1 "error: cannot make the cache directory $ro/below: .*; $advice" prebuild build blob_2 --cache-dir "$ro/below"
# what is said helps
CK_JIT_CACHE_READONLY_DIR="$ro" prebuild build blob_1 blob_2 --cache-dir "$T/other" >"$T/out" || fail 'with both variables'
grep -q '^1 compiled, 1 in the cache already' "$T/out" || fail "$(cat "$T/out")"
chmod 700 "$T/cache"
