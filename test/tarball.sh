#!/bin/sh
# make tarball: two of them are byte for byte the same, whatever the umask, owner, times and locale; with git and, from what the first
# unpacks to, without; nothing that git does not track is in it, and make runs there.
# tier: all
. "${0%/*}/common.sh"
need make tar gzip find sha256sum git
top=$(dirname "$here")
cd "$T"
tarball() (
  cd "$1" && make -s B="$2" tarball 2>&1
) >"$T/out" || fail "$(cat "$T/out")"
mkdir one
umask 022
(cd "$top" && tar cf - --exclude='./build*' --exclude=.git --exclude=__pycache__ .) | tar xf - -C one
git init -q one
git -C one add -A
echo untracked >one/untracked
export SOURCE_DATE_EPOCH=1700000000
tarball one "$T/b1"
name=$(cd b1/tarball && ls)
mkdir two
tar xzf "b1/tarball/$name" -C two
two=$T/two/${name%.tar.gz}
umask 077
find "$two" -type f -exec touch {} +
chmod -R go-rwx "$two"
mkdir "$two/build" && echo built >"$two/build/file"
(export LC_ALL=C.UTF-8 && tarball "$two" "$T/b2")
is "another work directory, umask and locale" "$(sha256sum <"b1/tarball/$name")" "$(sha256sum <"b2/tarball/$name")"
tar tvzf "b1/tarball/$name" >list
lacks 'owners, times, modes and names of others' '^(-rw-r--r--|-rwxr-xr-x|lrwxr-xr-x) 0/0 +[0-9]+ 2023-11-14 22:13 ckjit-[0-9.]+/[^ ]' list -vE
lacks "what is built, or nobody's" '/build/\|untracked' list
has "a script" "packaging/tarball" list
(cd "$two" && make -s -n B="$T/b3" all) >out 2>&1 || fail "make: $(cat out)"

# what fails leaves nothing half written
[ "$(id -u)" != 0 ] || exit 0
chmod a-r "$two/README.md"
(cd "$two" && make -s B="$T/b4" tarball) >out 2>&1 && fail 'a file that cannot be read is left out'
[ -z "$(ls "$T/b4/tarball")" ] || fail "left: $(ls "$T/b4/tarball")"
