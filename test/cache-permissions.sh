#!/bin/sh
# What ckjit makes can be used by its user whatever the job's umask and the parent directory's ACL and setgid bit are, and by nobody else: the
# first call succeeds, the next job finds the kernel, and the directories have mode 0700 and no ACL.
# tier: check
# seconds: 24
. "$(dirname "$0")/common.sh"
need setfacl getfacl
# shellcheck disable=SC1091
. "$(dirname "$0")/unit/runtime_fixture.sh"
# Another user compiles these, who may not enter the checkout: root's own directory is closed to him.
cp -r "$unit" "$T/unit"
unit=$T/unit
library lib
driver=$T/lib/driver
user=
chmod 755 "$T"
if [ "$(id -u)" = 0 ]; then # root may enter what nobody may
  need setpriv
  user="setpriv --reuid 12345 --regid 12345 --clear-groups"
  chmod -R a+rX "$T/lib"
fi

# works WHAT UMASK: in $T/parent, whose kind the caller has made
works() {
  [ -z "$user" ] || chown 12345:12345 "$T/parent"
  : >"$T/calls"
  chmod a+rw "$T/calls"
  export CK_JIT_CACHE_DIR="$T/parent/a/cache" XDG_CACHE_HOME="$T/parent/xdg" TMPDIR="$T/parent"
  # shellcheck disable=SC2086
  is "$1: value" 1005 "$(umask "$2" && $user "$driver" value 0 5 2>"$T/err" || cat "$T/err")"
  # shellcheck disable=SC2086
  is "$1: again, with an ordinary umask" 1005 "$(umask 022 && $user "$driver" value 0 5 2>&1)"
  # shellcheck disable=SC2086
  is "$1: another kernel" 1105 "$(umask 022 && $user "$driver" value 1 5 2>&1)"
  is "$1: compiles" 2 "$(compiles)"
  find "$T/parent/a" -type d >"$T/dirs"
  while read -r dir; do
    is "$1: mode of $dir" 700 "$(stat -c %a "$dir" | tail -c 4)"
    is "$1: ACL of $dir" 3 "$(getfacl -cp "$dir" | grep -c .)"
  done <"$T/dirs"
  find "$T/parent/a" -type f ! -perm -400 >"$T/unreadable"
  is "$1: files that their owner cannot read" "" "$(cat "$T/unreadable")"
  find "$T/parent/a" -type f -perm /022 >"$T/writable"
  is "$1: files that others may write" "" "$(cat "$T/writable")"
  # shellcheck disable=SC2086
  $user "$B/bin/ckjit-prebuild" verify --cache-dir "$CK_JIT_CACHE_DIR" >"$T/out" || fail "$1: $(cat "$T/out")"
  has "$1" "2 files verified" "$T/out"
  rm -rf "$T/parent"
}

for mask in 022 077 0177 0277 0777; do
  mkdir "$T/parent"
  works "umask $mask" "$mask"
done
mkdir "$T/parent"
chmod g+s "$T/parent"
works "a setgid parent" 022
mkdir "$T/parent"
if setfacl -d -m u:daemon:rwx,g:daemon:rwx,o::rwx "$T/parent" 2>"$T/err"; then
  works "a default ACL" 022
  mkdir "$T/parent"
  setfacl -d -m u::r,g::-,o::- "$T/parent"
  works "a default ACL that takes the owner's permissions" 022
else
  rmdir "$T/parent"
  echo "not tried: ACLs ($(cat "$T/err"))"
fi

# a cache that an earlier version left, which nobody can enter
mkdir -p "$T/parent/a/cache"
chmod 700 "$T/parent/a"
[ -z "$user" ] || chown -R 12345:12345 "$T/parent"
chmod 600 "$T/parent/a/cache"
works "a cache that nobody can enter" 022

# one that was closed on purpose stays closed
mkdir -p "$T/parent/cache"
[ -z "$user" ] || chown -R 12345:12345 "$T/parent"
chmod 500 "$T/parent/cache"
: >"$T/calls"
# shellcheck disable=SC2086
CK_JIT_CACHE_DIR="$T/parent/cache" $user "$driver" value 0 5 >"$T/out" 2>&1 || :
is "a closed cache: mode" 500 "$(stat -c %a "$T/parent/cache")"
