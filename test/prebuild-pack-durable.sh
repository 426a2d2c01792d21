#!/bin/sh
# What unpack adds is on the disk before it has its name: by one syncfs for all of a pack, or by an fsync of each entry if syncfs fails or others
# have much that is not written yet. What cannot be written through is said, and nothing is added.
# tier: all
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
. "${0%/*}/unit/pack_fixture.sh"
need strace
strace -qq -o /dev/null -e inject=getpid:error=EPERM true || skip "strace cannot be used here"
many lib 3
install lib
CK_JIT_ARCH=gfx942 CK_JIT_CACHE_DIR=$T/cache api "open:$T/lib/libkernels.so" compile:k0:store compile:k1:store compile:k2:store >/dev/null
prebuild pack --all --cache-dir "$T/cache" -o "$T/p" 2>/dev/null >/dev/null
# much that is not written yet: as /proc/meminfo has it
for kib in 0 99999999; do
  mkdir -p "$T/$kib/proc"
  printf 'MemAvailable: 9999999 kB\nDirty: %s kB\nWriteback: 0 kB\n' $kib >"$T/$kib/proc/meminfo"
done
# unpack DIRTY [STRACE-OPTION…]: into an empty cache
unpack() {
  rm -rf "$T/new"
  dirty=$1
  shift
  CK_JIT_MEMORY_ROOT=$T/$dirty strace -f -y -qq -s4096 -o "$T/trace" -e trace=openat,write,fsync,syncfs,renameat2,sync_file_range "$@" \
    "$prebuild_" unpack --cache-dir "$T/new" "$T/p" >"$T/out" 2>"$T/err"
}
# safe WHAT SYNCFS FSYNCS: so many of these calls were made before the first of three entries got its name, and none was written to then
safe() {
  is "$1: entries" 3 "$(find "$T/new" -name 'k*.so' | wc -l)"
  is "$1: syncfs, fsync, of what is not on the disk, behind the last write and before the first name" "$2 $3 0" "$(awk '
    / write\([0-9]+<[^>]*\/\.tmp-/ { file = $0; sub(/.* write\([0-9]+</, "", file); sub(/>.*/, "", file); dirty[file] = 1; seen[file] = 1; all = each = 0 }
    / syncfs\(.* = 0$/ && !named { all++; for (f in dirty) delete dirty[f] }
    / fsync\(.* = 0$/ && !named { file = $0; sub(/.* fsync\([0-9]+</, "", file); sub(/>.*/, "", file); if (file in dirty) { each++; delete dirty[file] } }
    / renameat2\(/ { named = 1; for (f in dirty) left++ }
    END { for (f in seen) n++; if (n != 3) print n " files were written"; print all + 0, each + 0, left + 0 }' "$T/trace")"
}
unpack 0 || fail "$(cat "$T/err")"
safe "together" 1 0
is "together: each is asked whether it was written" 3 "$(grep -c 'sync_file_range(.*SYNC_FILE_RANGE_WAIT_BEFORE) = 0' "$T/trace")"
unpack 99999999 || fail "$(cat "$T/err")"
safe "much of others" 0 3
for error in ENOSYS EIO; do
  unpack 0 -e inject=syncfs:error=$error || fail "$error: $(cat "$T/err")"
  safe "syncfs says $error" 0 3
done
unpack 0 -e inject=sync_file_range:error=ENOSYS || fail "no sync_file_range: $(cat "$T/err")"
is "no sync_file_range: fsync" 3 "$(grep -c ' fsync(.*/\.tmp-.* = 0' "$T/trace")"
for call in fsync sync_file_range; do
  dirty=0
  [ $call != fsync ] || dirty=99999999
  unpack $dirty -e inject=$call:error=EIO && fail "$call: what is not on the disk was added"
  has "$call" "cannot be written: Input/output error" "$T/err"
  has "$call" "nothing was unpacked" "$T/err"
  is "$call: added" "" "$(find "$T/new" -name '*.so' -o -name '.tmp-*')"
done
