#!/bin/sh
# Which paths that were written down when a library was built are still to be trusted: each part of it, symbolic links on the way
# included, is root's or the user's and nobody else may write to it, but for sticky directories and the user's private group.
# tier: check
. "${0%/*}/common.sh"
[ "$(id -u)" = 0 ] || skip "needs root"
need setpriv unshare python3
gcc -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -O1 -g -I"$here/.." "$here/unit/runtime_trust.c" -o "$T/trust"
umask 022
chmod 711 "$T"

# one place compares owners, for only it knows of user namespaces
cd "$here/.."
elsewhere=$(grep -nE 'st_uid *[!=]=|[!=]= *[a-z.>-]*st_uid' abi/*.h runtime/*.[ch] api/*.[ch] core/*/*.[ch] driver/*.[ch] \
  wrapper/*.[ch] unit/*.[ch] postbuild/*.[ch] compile/*.[ch] compile/*/*.[ch] prebuild/*.[ch] prebuild/*/*.[ch] nvcc/*.c |
  grep -v '^abi/ck_jit_trust.h:' || true)
[ -z "$elsewhere" ] || fail "owners are compared outside abi/ck_jit_trust.h: $elsewhere"
grep -q 'st_uid == geteuid()' abi/ck_jit_trust.h || fail 'this looks for nothing'
cd "$T"
d=$T/d
mkdir "$d" "$d/mine" "$d/theirs" "$d/open" "$d/sticky" "$d/sticky/mine" "$d/sticky/theirs" "$d/group" "$d/mine/open" "$d/out"
touch "$d/mine/file" "$d/theirs/file" "$d/open/file" "$d/sticky/file" "$d/sticky/mine/file" "$d/mine/openfile" "$d/mine/theirfile" "$d/group/file"
chmod 777 "$d/open" "$d/mine/open"
chmod 1777 "$d/sticky"
chmod 775 "$d/group"
chmod 666 "$d/mine/openfile"
chown 65534:65534 "$d/theirs" "$d/sticky/theirs" "$d/mine/theirfile"
ln -s mine/file "$d/link"
ln -s ../open/file "$d/mine/toopen"
ln -s "$d/theirs" "$d/totheirs"
ln -s ../mine "$d/open/tomine"
ln -s /usr/../usr/bin/env "$d/env"
ln -s loop "$d/loop"
ln -s ../mine/file "$d/sticky/tomine"
ln -s ../mine/file "$d/sticky/theirlink"
chown -h 65534 "$d/sticky/theirlink"
# said [AS…] -- PATH…: what is said of them
said() {
  as=
  while [ "$1" != -- ]; do as="$as $1" && shift; done
  shift
  # shellcheck disable=SC2086 # words
  $as "$T/trust" "$d" "$@"
}
# expect NAME [AS…] -- PATH…: that is said of them which stands on standard input
expect() {
  name=$1
  shift
  cat >"$T/expected"
  said "$@" >"$T/said" || fail "$name: status $?"
  cmp -s "$T/expected" "$T/said" || fail "$name: $(diff "$T/expected" "$T/said")"
}

expect root -- / mine mine/file mine/./../mine/file link env mine/open mine/openfile mine/theirfile theirs theirs/file open/file \
  mine/toopen totheirs/file open/tomine/file loop none sticky sticky/mine/file sticky/file sticky/theirs sticky/tomine \
  sticky/theirlink group group/file sticky/. <<'END'
/: trusted
mine: trusted
mine/file: trusted
mine/./../mine/file: trusted
link: trusted
env: trusted
mine/open: mine/open is writable by everybody
mine/openfile: mine/openfile is writable by everybody
mine/theirfile: mine/theirfile belongs to another user
theirs: theirs belongs to another user
theirs/file: theirs belongs to another user
open/file: open is writable by everybody
mine/toopen: open is writable by everybody
totheirs/file: theirs belongs to another user
open/tomine/file: open is writable by everybody
loop: loop is a symbolic link that cannot be followed
none: none cannot be examined
sticky: sticky is writable by everybody
sticky/mine/file: trusted
sticky/file: sticky/file lies in a directory that others can write to
sticky/theirs: sticky/theirs belongs to another user
sticky/tomine: trusted
sticky/theirlink: sticky/theirlink belongs to another user
group: group is writable by its group
group/file: group is writable by its group
sticky/.: sticky is writable by everybody
END

# another user: what is root's is trusted, what is its own, and nothing of a third's
chown -R 1234:1234 "$d/out" "$d/sticky/mine"
expect "another user" setpriv --reuid=1234 --regid=1234 --clear-groups -- mine/file sticky/mine/file theirs out <<'END'
mine/file: trusted
sticky/mine/file: trusted
theirs: theirs belongs to another user
out: trusted
END
expect "root, of another user's" -- out <<'END'
out: out belongs to another user
END

# The user's private group counts as the user; what another one is in, or an ACL's mask, does not.
unshare -m true 2>/dev/null || skip "all but private groups: no mount namespaces here"
chmod -R g+w "$d/out"
cat >"$T/as-maker" <<END
#!/bin/sh
mount --bind "$T/passwd" /etc/passwd && mount --bind "$T/group" /etc/group && exec setpriv --reuid=1234 --regid=1234 --clear-groups "\$@"
END
chmod +x "$T/as-maker"
printf 'root:x:0:0::/:/bin/sh\nmaker:x:1234:1234::/:/bin/sh\n' >"$T/passwd"
# groups LINE: said of out by a user of the database with this line of groups
groups() {
  printf 'root:x:0:\n%s\n' "$1" >"$T/group"
  said unshare -m "$T/as-maker" -- out
}
is_() {
  [ "$2" = "$3" ] || fail "$1: expected '$2', found '$3'"
}
no="out: out is writable by its group"
is_ "private" "out: trusted" "$(groups maker:x:1234:)"
is_ "private, and the user in it" "out: trusted" "$(groups maker:x:1234:maker)"
is_ "with another member" "$no" "$(groups maker:x:1234:maker,guest)"
is_ "of another name" "$no" "$(groups users:x:1234:)"
is_ "that no database knows" "$no" "$(groups other:x:77:)"
chgrp 77 "$d/out"
is_ "not the user's primary one" "$no" "$(groups maker:x:77:)"
chgrp 1234 "$d/out"
# as `setfacl -m u:65534:rwx` does
python3 - "$d/out" <<'END' 2>/dev/null || skip "all but ACLs: this file system has none"
import os, struct, sys
entries = (1, 7, 0xffffffff), (2, 7, 65534), (4, 7, 0xffffffff), (16, 7, 0xffffffff), (32, 5, 0xffffffff)
os.setxattr(sys.argv[1], "system.posix_acl_access", struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *e) for e in entries))
END
is_ "an ACL" "$no" "$(groups maker:x:1234:)"
