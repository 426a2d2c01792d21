#!/bin/sh
# make uninstall takes away what make install brought: all files, and of the directories those that it made, if they are empty. Others'
# files and directories stay, empty ones as well. DESTDIR and PREFIX count; a second uninstall succeeds.
# tier: check
. "${0%/*}/common.sh"
need make
top=$(dirname "$here")
[ -z "${SANITIZER-}" ] || skip "make install without its flags would build anew"
do_make() {
  make -C "$top" --no-print-directory B="$B" "$@" >"$T/out" 2>&1 || fail "make $*: $(cat "$T/out")"
}
tree() {
  (cd "$1" && find . | sort)
}
cd "$T"

# into nothing; twice; and away with all of it, the directories above PREFIX included
mkdir stage
do_make PREFIX=/opt/with/ckjit DESTDIR="$T/stage" install
[ -x stage/opt/with/ckjit/bin/ckjit-build ] || fail "not installed: $(tree stage)"
[ -z "$(find stage -type f -perm /022)" ] || fail "writable by others: $(find stage -type f -perm /022)"
tree stage >first
do_make PREFIX=/opt/with/ckjit DESTDIR="$T/stage" install
tree stage | cmp -s first - || fail 'the second install differs'
do_make PREFIX=/opt/with/ckjit DESTDIR="$T/stage" uninstall
[ "$(tree stage)" = . ] || fail "left: $(tree stage)"
do_make PREFIX=/opt/with/ckjit DESTDIR="$T/stage" uninstall
[ "$(tree stage)" = . ] || fail "left: $(tree stage)"

# beside others, in a directory with a space
mkdir -p 'a home/bin' 'a home/share/man/man1' 'a home/lib/other' 'a home/share/zsh'
echo text >'a home/lib/theirs'
tree 'a home' >before
do_make PREFIX="$T/a home" install
mkdir 'a home/include/theirs'
echo text >'a home/share/ckjit/profiles/mine.yaml'
do_make PREFIX="$T/a home" uninstall
rm 'a home/share/ckjit/profiles/mine.yaml' && rmdir 'a home/share/ckjit/profiles' 'a home/share/ckjit' 'a home/include/theirs' 'a home/include' ||
  fail 'what others put there was removed'
tree 'a home' | cmp -s before - || fail "other than before: $(tree 'a home' | diff before -)"
do_make PREFIX="$T/a home" uninstall

# moved, and another PREFIX than that of the install: what is not there is not missed, the directory of that name is the user's
do_make PREFIX="$T/old" install
mv old new
do_make PREFIX="$T/new" uninstall
[ "$(tree new)" = . ] || fail "left: $(tree new)"
