#!/bin/sh
# What is beside a library is looked for where the library's own file is, whatever the process and
# others have done to names since it was loaded; and it is used if nobody can have put it there who
# could not have exchanged the library. So a library of another user, of a group, or in a directory
# that everybody can write to works as it did.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
[ "$(id -u)" = 0 ] || skip "needs root"
need setpriv
umask 022
chmod 711 "$T"
: >"$T/ran"
chmod 666 "$T/ran"
many lib 4
cp "$B/bin/ckjit-compile" "$T/own-compile"
rm "$T/lib/ck_jit/ckjit-compile" # it may be a link to that of the build directory, whose owner is to stay
cp "$T/own-compile" "$T/lib/ck_jit/ckjit-compile"
library=$T/lib/libkernels.so tree=$T/lib/ck_jit
# evil DIR: what another user has laid out beside a library of this name
evil() {
  mkdir -p "$1/ck_jit/src"
  touch "$1/libkernels.so" "$1/ck_jit/src/k0.cu"
  printf '#!/bin/sh\necho "$0 $*" >>%s/ran\nexit 1\n' "$T" >"$1/ck_jit/ckjit-compile"
  chmod 755 "$1/ck_jit/ckjit-compile"
  chown -R 65534:65534 "$1"
}
value() {
  rm -rf "$T/cache"
  "$T/hostile" "$@" 2>&1
}
# refused NAME TEXT WORDS…
refused() {
  name=$1 text=$2
  shift 2
  ! value "$@" >"$T/out" || fail "$name: it was compiled"
  has "$name" "$text" "$T/out"
  is "$name: what ran" "" "$(cat "$T/ran")"
}

# ---- where it is ----

evil "$T/world"
cd "$T/lib"
is "a relative name, and a library of this name there" 5 "$(value ./libkernels.so chdir "$T/world" 0 5)"
is "LD_LIBRARY_PATH is relative" 5 "$(LD_LIBRARY_PATH=. value libkernels.so chdir "$T/world" 0 5)"
mv ck_jit ../away
refused "nothing beside it" "its source cannot be read: /nonexistent/build/src/k0.cu" ./libkernels.so chdir "$T/world" 0 5
mv ../away ck_jit
cd "$T"
is "a link, beside what it means" 5 "$(mkdir links && ln -s ../lib/libkernels.so ../lib/log ../lib/template.so ../lib/control links && value "$T/links/libkernels.so" value 0 5)"
mv lib/ck_jit links/ck_jit
is "a link, beside the link" 5 "$(value "$T/links/libkernels.so" value 0 5)"
mv links/ck_jit lib/ck_jit
is "renamed after it was loaded" 5 "$(value "$library" after "mv $T/lib $T/moved" 0 5)"
mv "$T/moved" "$T/lib"
evil "$T/other"
is "another directory in its place" 5 "$(value "$library" after "mv $T/lib $T/moved && mv $T/other $T/lib" 0 5)"
rm -rf "${T:?}/lib"
mv "$T/moved" "$T/lib"
is "what ran" "" "$(cat "$T/ran")"
cp -r "$T/lib" "$T/copy"
evil "$T/other"
refused "removed, and made again by somebody else" "belongs to another user (owner 65534" "$T/copy/libkernels.so" after "rm -rf $T/copy && mv $T/other $T/copy" 0 5
rm -rf "$T/copy"
cp -r "$T/lib" "$T/copy"
is "removed, and made again by root" 5 "$(value "$T/copy/libkernels.so" after "rm -rf $T/copy && cp -r $T/lib $T/copy" 0 5)"
mkdir -m 777 "$T/open"
cp -r "$T/lib" "$T/open/copy"
refused "the same where anybody may exchange it" "$T/open is writable by everybody" \
  "$T/open/copy/libkernels.so" after "rm -rf $T/open/copy && cp -r $T/lib $T/open/copy" 0 5
cp -r "$T/lib" "$T/open/kept"
is "there, and not removed" 5 "$(value "$T/open/kept/libkernels.so" value 0 5)"
name=$(printf 'new\nline (deleted)')
cp -r "$T/lib" "$T/$name"
is "a strange name" 5 "$(value "$T/$name/libkernels.so" value 0 5)"

# ---- whose it is ----

why="it is beside the library, so another user could have replaced it"
chown -R 65534 "$tree"
refused "another's tree beside root's library" "$why" "$library" value 0 5
has "part" "$tree belongs to another user (owner 65534, mode 0755)" "$T/out"
chown 65534 "$library"
is "a library of another user's, and its tree" 5 "$(value "$library" value 0 5)"
chown -R 4321 "$tree"
refused "a third one's tree" "$tree belongs to another user (owner 4321" "$library" value 0 5
chown -R 0 "$tree" "$library"
chown 4321 "$tree/ckjit-compile"
refused "another's program" "$tree/ckjit-compile belongs to another user (owner 4321" "$library" value 0 5
chown 0 "$tree/ckjit-compile"
chmod 1777 "$T/lib"
is "in a sticky directory" 5 "$(value "$library" value 0 5)"
mv "$tree" "$T/mine"
evil "$T/other"
mv "$T/other/ck_jit" "$tree"
refused "what another has put into a sticky directory" "$tree belongs to another user (owner 65534" "$library" value 0 5
rm -rf "$tree"
mv "$T/mine" "$tree"
chmod 777 "$T/lib"
is "in a directory that is open to all, as a CI checkout is" 5 "$(value "$library" value 0 5)"
chmod 777 "$tree"
refused "a tree that anybody can write to" "$tree is writable by everybody (owner 0, mode 0777)" "$library" value 0 5
chmod 777 "$library"
is "as the library is" 5 "$(value "$library" value 0 5)"
chmod 775 "$tree" "$library"
chgrp 4321 "$tree"
refused "a group that cannot write to the library" "$tree is writable by its group" "$library" value 0 5
chgrp 4321 "$library"
is "a group that can" 5 "$(value "$library" value 0 5)"
is "CK_JIT_ROOT is the user's word" 5 "$(chown -R 65534 "$tree" && CK_JIT_ROOT=$tree value "$library" value 0 5)"
