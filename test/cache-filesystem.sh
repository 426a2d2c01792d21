#!/bin/sh
# Real file systems: one that is full, one that is mounted read-only, one without hard links and with time stamps of two seconds (FAT):
# the call is right, or says what is wrong and which directory; nothing half written is left.
# tier: all
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unit/runtime_fixture.sh"
library lib
driver=$T/lib/driver
[ "$(id -u)" = 0 ] || skip "not root"
mkdir "$T/fs"
trap 'umount "$T/fs" 2>/dev/null || :; rm -rf "$T"' EXIT
mount -t tmpfs -o size=16k,mode=700 none "$T/fs" 2>/dev/null || skip "no file system can be mounted here"
export CK_JIT_CACHE_DIR="$T/fs/cache"

# full, at every size on the way to enough
n=16
while "$driver" value 0 5 >"$T/out" && false || [ "$(cat "$T/out")" != 1005 ]; do
  has "full, $n k" "error: ckjit: value0: " "$T/out"
  grep -q 'No space left\|failed with status\|cannot' "$T/out" || fail "$n k: it does not say why: $(cat "$T/out")"
  is "left, $n k" "" "$(find "$T/fs" -name '.tmp-*' -o -name '*.so')"
  n=$((n + 8))
  [ $n -lt 1000 ] || fail "1 MB is not enough: $(cat "$T/out")"
  mount -o remount,size=${n}k "$T/fs"
done
[ $n -gt 16 ] || fail "16 k were enough"

# read-only: what is there is loaded, what is not is compiled for this process alone, which is said
mount -o remount,ro "$T/fs"
is "read-only, cached" 1005 "$("$driver" value 0 5)"
"$driver" value 1 5 >"$T/out" 2>&1 || fail "read-only: $(cat "$T/out")"
has "read-only, not cached" 1105 "$T/out"
has "read-only" "Read-only file system" "$T/out"
CK_JIT_ON_MISS=error "$driver" value 1 5 >"$T/out" 2>&1 && fail "compiled, though it was not to"
is "read-only, left" "value0.so " "$(find "$T/fs" -name '*.so' -printf '%f ')"
has "read-only: where" "$T/fs/cache" "$T/out"
umount "$T/fs"

# without hard links, with coarse time stamps
truncate -s 8M "$T/disk"
if mkfs.vfat "$T/disk" >/dev/null 2>&1 && mount -o loop,uid=0,umask=077 "$T/disk" "$T/fs" 2>/dev/null; then
  is "FAT" "1005 1105" "$("$driver" value 0 5) $("$driver" value 1 5)"
  : >"$SHIM_CALLS"
  is "FAT, again" "1005 1105" "$("$driver" value 0 5) $("$driver" value 1 5)"
  is "FAT, compiles" 0 "$(compiles)"
  is "FAT, left" "" "$(find "$T/fs" -name '.tmp-*' -o -path '*/.locks/*')"
  umount "$T/fs"
  mount -o loop,uid=0,umask=022 "$T/disk" "$T/fs"
  "$driver" value 0 5 >"$T/out" && fail "a file system without modes was trusted"
  has "FAT, no modes" "is open to other users" "$T/out"
  umount "$T/fs"
else
  echo "no FAT here: left out"
fi
# renames without flags and no hard links, as on some network file systems
CK_JIT_CACHE_DIR=$T/cache
cat >"$T/lib/ck_jit/traced" <<SHIM
#!/bin/sh
exec strace -qq -f -o /dev/null -e trace=renameat2,link -e inject=renameat2:error=EINVAL -e inject=link:error=EPERM "$B/bin/ckjit-compile" "\$@"
SHIM
if chmod +x "$T/lib/ck_jit/traced" && "$T/lib/ck_jit/traced" --version >/dev/null 2>&1; then
  mv "$T/lib/ck_jit/traced" "$T/lib/ck_jit/ckjit-compile"
  is "no links" 1005 "$("$driver" value 0 5)"
  : >"$SHIM_CALLS"
  is "no links, again" 1005 "$("$driver" value 0 5)"
  is "no links, compiles" 0 "$(compiles)"
fi
