#!/bin/sh
# What a library falls back to lies where it was built. Another user may have made that directory again since: then the tree, its
# ckjit-compile and its compiler are not used, and the error says which part of the path it is, whose, and what to do. What is root's
# or the user's own works as ever, and so does what the user names.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
[ "$(id -u)" = 0 ] || skip "needs root"
need setpriv
umask 022
chmod 711 "$T"
as_user() {
  setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}
as_user "$B/bin/ckjit-compile" --version >/dev/null || skip "another user cannot run the programs of this build directory"
: >"$T/ran"
chmod 666 "$T/ran"
place=$T/lib/place tree=$T/lib/place/tree
LIB_BUILD_ROOT=$tree LIB_COMPILE=$T/lib/place/ckjit-compile LIB_COMPILER=$T/lib/place/hipcc many lib 4
chmod a+w "$T/lib/log"
mkdir "$place"
mv "$T/lib/ck_jit" "$tree"
rm "$tree/ckjit-compile" # it may be a link to that of the build directory, whose owner is to stay
cp "$B/bin/ckjit-compile" "$tree"
ln -s ../log ../template.so ../control "$place"
cp "$T/fast" "$place/hipcc"
unset CK_JIT_HIPCC
mkdir -m 700 "$T/theirs"
chown 65534:65534 "$T/theirs"
# value WHO: the library's k0, compiled anew
value() {
  rm -rf "$T/cache" "$T/theirs/cache"
  if [ "$1" = root ]; then
    "$T/hostile" "$T/lib/libkernels.so" value 0 5 2>&1
  else
    CK_JIT_CACHE_DIR=$T/theirs/cache as_user "$T/hostile" "$T/lib/libkernels.so" value 0 5 2>&1
  fi
}
# refused NAME WHO TEXT…: not called, the error has the texts, and nothing ran
refused() {
  name=$1 who=$2
  shift 2
  ! value "$who" >"$T/out" || fail "$name: it was compiled"
  for text; do
    has "$name" "$text" "$T/out"
  done
  is "$name: what ran" "" "$(cat "$T/ran")"
}
# evil FILE: a program that leaves a trace
evil() {
  rm -f "$1"
  printf '#!/bin/sh\necho "$0 $*" >>%s/ran\n' "$T" >"$1"
  chmod 755 "$1"
}

is "root, of its own tree" 5 "$(value root)"
is "a user, of root's tree" 5 "$(value user)"
chown -hR 65534:65534 "$place"
is "a user, of its own tree" 5 "$(value user)"

# the tree, made again by somebody else
mv "$tree/ckjit-compile" "$T/ckjit-compile"
evil "$tree/ckjit-compile"
chown 65534:65534 "$tree/ckjit-compile"
refused "another's tree" root "$tree is not used" "$place belongs to another user (owner 65534, mode 0755)" \
  "expected: it and each directory of its path owned by root or user 0, and writable by nobody else" "CK_JIT_ROOT"
chown root:root "$place"
refused "another's tree in root's directory" root "$tree belongs to another user (owner 65534, mode 0755)"
chown root:root "$tree"
refused "another's program in root's tree" root "$tree/ckjit-compile is not used" "ckjit-compile belongs to another user"
chmod 777 "$place"
refused "a tree that anybody can exchange" root "$place is writable by everybody (owner 0, mode 0777)" "chmod go-w it if it is yours"
chmod 1777 "$place"
mv "$T/ckjit-compile" "$tree/ckjit-compile"
chown -hR 0 "$place"
is "in a sticky directory, as /tmp is" 5 "$(CK_JIT_HIPCC=$T/fast value root)"
refused "a program, right in a sticky directory" root "$place/hipcc lies in a directory that others can write to"
chmod 777 "$tree"
refused "a tree that anybody can write to" user "$tree is writable by everybody"
chmod 755 "$tree"
mv "$tree" "$place/real"
ln -s real "$tree"
is "through a link of root's" 5 "$(CK_JIT_HIPCC=$T/fast value root)"
chown -h 65534 "$tree"
refused "through a link of another's" root "$tree belongs to another user (owner 65534"
rm "$tree"
mv "$place/real" "$tree"

# CK_JIT_ROOT is the user's word
chown -hR 65534 "$place"
chmod 755 "$place"
is "CK_JIT_ROOT" 5 "$(CK_JIT_ROOT=$tree CK_JIT_HIPCC=$T/fast value root)"
chown -hR 0 "$place"

# ckjit-compile of the build, the tree having none
mv "$tree/ckjit-compile" "$place/ckjit-compile"
is "ckjit-compile of the build" 5 "$(value root)"
mv "$place/ckjit-compile" "$T/ckjit-compile"
evil "$place/ckjit-compile"
chown 65534 "$place/ckjit-compile"
refused "another's ckjit-compile" root "$place/ckjit-compile is not used" "$place/ckjit-compile belongs to another user"
rm "$place/ckjit-compile"
refused "no ckjit-compile" root "$place/ckjit-compile cannot be run: No such file or directory"
mv "$T/ckjit-compile" "$tree/ckjit-compile"

# the compiler of the build
evil "$place/hipcc"
chown 65534 "$place/hipcc"
refused "another's compiler" root "the build's compiler, $place/hipcc, is not used" "$place/hipcc belongs to another user (owner 65534" \
  "set CK_JIT_HIPCC to the compiler"
mkdir "$T/bin"
ln "$T/fast" "$T/bin/hipcc"
(PATH=$T/bin:$PATH refused "another's compiler, and another one on the PATH" root "the build's compiler, $place/hipcc, is not used")
cp "$T/fast" "$place/hipcc"
chown 65534 "$place/hipcc"
is "that on the PATH" 5 "$(PATH=$place:$PATH value root)"
is "CK_JIT_HIPCC" 5 "$(CK_JIT_HIPCC=$place/hipcc value root)"
rm "$place/hipcc"
is "gone, and one on the PATH" 5 "$(PATH=$T/bin:$PATH value root)"

# CK_JIT_ROOT of the build, if it is absolute
LIB_ROOT=$tree LIB_COMPILER=$T/fast many baked 1
unset CK_JIT_HIPCC
rm -rf "$T/cache"
evil "$tree/ckjit-compile"
chown 65534 "$tree"
"$T/hostile" "$T/baked/libkernels.so" value 0 5 >"$T/out" 2>&1 && fail "baked in: it was compiled"
has "baked in" "$tree is not used" "$T/out"
is "baked in: what ran" "" "$(cat "$T/ran")"
chown 0 "$tree"
"$T/hostile" "$T/baked/libkernels.so" value 0 5 >"$T/out" 2>&1 && fail "baked in: there is no compiler in it"
[ -s "$T/ran" ] || fail "baked in, root's: it did not run"
rm "$tree/ckjit-compile"
cp "$B/bin/ckjit-compile" "$tree"

# a manifest of a work directory names both as well
cat >"$T/manifest.json" <<END
{"ckjit": 1, "libraries": ["libkernels.so"], "root": "$tree", "compiler": "$T/fast", "compiler_kind": "hip",
 "groups": [{"flags": ["--log=$T/lib/log", "--template=$T/lib/template.so", "--control=$T/lib/control"], "link": [], "archs": ["gfx942"]}],
 "blobs": {"k0": {"source": "{root}/src/k0.cu", "group": 0, "key": "$(printf '%032d' 1)", "functions": ["value_"]}}}
END
prebuild() {
  rm -rf "$T/cache"
  "$B/bin/ckjit-prebuild" build --all --manifest "$T/manifest.json" "$@" >"$T/out" 2>&1
}
by_hand() {
  "$B/bin/ckjit-compile" --blob k0 --manifest "$T/manifest.json" --output "$T/k0.so" "$@" >"$T/out" 2>&1
}
prebuild || fail "prebuild: $(cat "$T/out")"
by_hand || fail "by hand: $(cat "$T/out")"
chown 65534 "$tree"
prebuild && fail "prebuild took another's tree"
has "prebuild" "$tree, the root that $T/manifest.json names, is not used" "$T/out"
has "prebuild" "$tree belongs to another user" "$T/out"
by_hand && fail "ckjit-compile took another's tree"
prebuild --root "$tree" || fail "prebuild --root: $(cat "$T/out")"
by_hand --root "$tree" || fail "by hand --root: $(cat "$T/out")"
chown 0 "$tree"
chown 65534 "$T/fast"
prebuild && fail "prebuild took another's compiler"
has "prebuild" "the build's compiler, $T/fast, is not used" "$T/out"
by_hand && fail "ckjit-compile took another's compiler"
has "by hand" "the build's compiler, $T/fast, is not used" "$T/out"
by_hand --hipcc "$T/fast" || fail "by hand --hipcc: $(cat "$T/out")"
