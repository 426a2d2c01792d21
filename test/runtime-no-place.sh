#!/bin/sh
# No cache can be made or written to: the job goes on. A process compiles each kernel once, into a file without a name, and says once which directory
# it was and what to do. What caches have is loaded all the same. A cache that is not to be trusted, a full disk and CK_JIT_ON_MISS=error are as ever.
# tier: all
# seconds: 4
. "${0%/*}/common.sh"
. "$here/unit/runtime_fixture.sh"
export TMPDIR="$T/tmp"
mkdir "$TMPDIR"
many lib 6
api quiet # compiles it
lib=$T/lib/libkernels.so
then='until then each process compiles its own kernels, into unnamed files'
# calls WORD…: they are done; what was said in $T/err
calls() {
  "$T/api" "open:$lib" "$@" >"$T/out" 2>"$T/err" || fail "$*: $(cat "$T/out" "$T/err")"
}
# said WORDS: once, and nothing else
said() {
  is "what is said" "ckjit: warning: $1
$then" "$(cat "$T/err")"
}
none='the cache directory /proc/none/cache cannot be made: No such file or directory (set CK_JIT_CACHE_DIR to one that can) [ckjit help cache-not-made]'

# it cannot be made
export CK_JIT_CACHE_DIR=/proc/none/cache
calls stub:_Z6value_ILi1EEii:4 stub:_Z6value_ILi1EEii:5 stub:_Z6value_ILi2EEii:6
is "values" "1004 1005 2006 " "$(tr '\n' ' ' <"$T/out")"
said "$none"
is "compiles" 2 "$(started lib)"
calls threads:8:_Z6value_ILi1EEii:3
is "threads" 8024 "$(cat "$T/out")"
said "$none"
is "compiles, of a second process with eight threads" 3 "$(started lib)"
calls state:k1 compile:k1 call:0:7 state:k1 state:k2
is "states" "absent handle 0 1007 loaded absent " "$(tr '\n' ' ' <"$T/out")"
calls stub:_Z6value_ILi1EEii:1 fork stub:_Z6value_ILi1EEii:2 stub:_Z6value_ILi3EEii:2
is "a fork" "1001 1002 3002 child: 0 " "$(tr '\n' ' ' <"$T/out")"
is "what is left in TMPDIR" "" "$(ls -A "$TMPDIR")"
"$T/api" "open:$lib" compile:k1:store >"$T/out" 2>"$T/err" && fail "stored in no cache"
has "store" "$none" "$T/out"
env -u CK_JIT_CACHE_DIR XDG_CACHE_HOME=/proc/none "$T/api" "open:$lib" stub:_Z6value_ILi1EEii:4 >"$T/out" 2>"$T/err" || fail "$(cat "$T/err")"
has "the user's own" 'the cache directory /proc/none/ck_jit cannot be made' "$T/err"

# what a read-only directory has is loaded from it
CK_JIT_CACHE_DIR=$T/image "$T/api" "open:$lib" stub:_Z6value_ILi1EEii:4 >/dev/null
before=$(started lib)
CK_JIT_CACHE_READONLY_DIR=$T/image calls state:k1 stub:_Z6value_ILi1EEii:4 stub:_Z6value_ILi2EEii:4
is "from the image, and compiled" "cached 1004 2004 " "$(tr '\n' ' ' <"$T/out")"
is "compiles, with an image" 1 $(($(started lib) - before))

# nothing is compiled with CK_JIT_ON_MISS=error, and nothing said of it
CK_JIT_ON_MISS=error "$T/api" "open:$lib" compile:k1 >"$T/out" 2>"$T/err" && fail "it was compiled"
has "CK_JIT_ON_MISS" "it is not compiled, because CK_JIT_ON_MISS is error" "$T/out"
[ ! -s "$T/err" ] || fail "said: $(cat "$T/err")"

# a cache that others can write to is refused, not gone round
mkdir -m 777 "$T/open"
chmod 777 "$T/open"
CK_JIT_CACHE_DIR=$T/open "$T/api" "open:$lib" compile:k1 >"$T/out" 2>"$T/err" && fail "a cache that others can write to"
has "not to be trusted" "is open to other users" "$T/out"

# one from which no code can be loaded
if [ "$(id -u)" = 0 ] && mkdir "$T/noexec" && mount -t tmpfs -o noexec,mode=700 none "$T/noexec" 2>"$T/err"; then
  trap 'umount "$T/noexec" 2>/dev/null || :; rm -rf "$T"' EXIT
  before=$(started lib)
  CK_JIT_CACHE_DIR=$T/noexec calls stub:_Z6value_ILi1EEii:4 stub:_Z6value_ILi1EEii:5 stub:_Z6value_ILi2EEii:6
  is "noexec: values" "1004 1005 2006 " "$(tr '\n' ' ' <"$T/out")"
  said "no code can be loaded from the cache directory $T/noexec: its file system is mounted noexec (set CK_JIT_CACHE_DIR to a directory of another one) [ckjit help cache-noexec]"
  is "noexec: compiles" 2 $(($(started lib) - before))
  umount "$T/noexec"
else
  echo "not tried: a cache that is mounted noexec"
fi

# one that is there, and read-only: its entries are loaded, the rest is compiled
ro=$T/image
if [ "$(id -u)" = 0 ]; then
  ro=$T/ro
  mkdir -m 700 "$ro"
  trap 'umount "$ro" 2>/dev/null || :; rm -rf "$T"' EXIT
  mount --bind "$T/image" "$ro" 2>/dev/null && mount -o remount,bind,ro "$ro" || skip 'no file system can be mounted here'
else
  chmod 500 "$ro"
fi
export CK_JIT_CACHE_DIR="$ro"
before=$(find "$ro" | sort)
calls stub:_Z6value_ILi1EEii:4
[ ! -s "$T/err" ] || fail "said, and all was there: $(cat "$T/err")"
calls stub:_Z6value_ILi1EEii:4 stub:_Z6value_ILi2EEii:4 stub:_Z6value_ILi4EEii:4 threads:8:_Z6value_ILi2EEii:3
is "read-only" "1004 2004 4004 16024 " "$(tr '\n' ' ' <"$T/out")"
sed 's/: Read-only file system\|: Permission denied/: WHY/' "$T/err" >"$T/seen" && mv "$T/seen" "$T/err"
said "the cache directory $ro cannot be written to: WHY (set CK_JIT_CACHE_DIR to one that can, and CK_JIT_CACHE_READONLY_DIR to this one) [ckjit help cache-not-written]"
is "the cache" "$before" "$(find "$ro" | sort)"
is "what is left in TMPDIR" "" "$(ls -A "$TMPDIR")"
[ "$(id -u)" = 0 ] || chmod 700 "$ro"
