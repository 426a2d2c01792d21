#!/bin/sh
# A work directory is used again. With the same words what the linker can reuse stays; with another architecture, rounding, compiler,
# checkout, variable, profile or version it is removed, and the reason said. A call lists and installs what it built itself, and nothing else.
# tier: check
# seconds: 38
. "${0%/*}/common.sh"
. "$here/unit/memo_fixture.sh"
. "$here/unit/build_fixture.sh"
installation
rocm "$T/rocm"
aiter "$T/aiter"
cd "$T"
unset CFLAGS CXXFLAGS CPPFLAGS LDFLAGS HIPFLAGS CPATH LIBRARY_PATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH HIPCC_COMPILE_FLAGS_APPEND
full() { # full ARCHS API OPTION...; API '': both
  archs=$1 api=$2
  shift 2
  ckjit-build full --aiter-dir aiter --gpu-archs "$archs" ${api:+--api "$api"} --tmp-dir w "$@" >out 2>&1 || fail "full $archs $api $*: $(cat out)"
}

# The library that an earlier call left for another architecture is not part of this call.
full gfx90a bwd
full gfx942 fwd --install-dir x
[ "$(ls x)" = "$(printf 'ck_jit\nlibmha_fwd.so')" ] || fail "installed: $(ls x)"
grep -q '^library .*libmha_fwd.so' out || fail "fwd is not listed: $(cat out)"
lacks 'bwd is listed' '^library .*libmha_bwd.so' out
lacks 'bwd is in the manifest' fmha_bwd x/ck_jit/ck_jit_manifest.json
grep -q '^left     libmha_bwd.so, of another build: architectures gfx90a, now gfx942$' out || fail "not said: $(cat out)"
for command in quick relink; do
  refused 1 'w: libmha_bwd.so and libmha_fwd.so are of different builds.*: architectures gfx90a, now gfx942; build one of them again' \
    ckjit-build "$command" --tmp-dir w --install-dir y
done
[ ! -e y/libmha_fwd.so ] || fail 'it was installed'

# It does not join an install that holds the other one of another build, and an older one there is not replaced behind its user's back.
refused 1 'x: holds libmha_fwd.so of another build: architectures gfx942, now gfx90a; build both' \
  ckjit-build full --aiter-dir aiter --gpu-archs gfx90a --api bwd --tmp-dir w --install-dir x
full gfx942 bwd --install-dir x
grep -q '^rebuild  libmha_bwd.so: architectures gfx90a, now gfx942$' out || fail "not said: $(cat out)"
[ "$(ls x)" = "$(printf 'ck_jit\nlibmha_bwd.so\nlibmha_fwd.so')" ] || fail "installed: $(ls x)"
lacks 'fwd is listed' '^library .*libmha_fwd.so' out
echo more >>x/libmha_fwd.so
refused 1 "its libmha_fwd.so is not the one in $T/w, which was built or linked again since; build both" \
  ckjit-build full --aiter-dir aiter --gpu-archs gfx942 --api bwd --tmp-dir w --install-dir x

# kept, anew REASON: whether what the linker made in the call before is still there
mark() {
  mkdir -p w/libmha_fwd/objs && echo old >w/libmha_fwd/objs/mark
}
kept() {
  lacks "built anew after $1" '^rebuild  libmha' out
  [ -e w/libmha_fwd/objs/mark ] || fail "nothing is kept after $1"
}
anew() { # REASON
  grep -q "^rebuild  libmha_fwd.so: \(.*; \)*$1\(; .*\)*\$" out || fail "no reason '$1': $(cat out)"
  [ ! -e w/libmha_fwd/objs/mark ] || fail "old objects are kept: $1"
  mark
}
mark
full gfx942,gfx942 fwd
kept 'the same architecture twice'
full gfx942 fwd --ck-tile-bf16 3
anew '--ck-tile-bf16 aiter, now 3'
full gfx942 fwd --ck-tile-bf16 3 --jobs 2
kept 'the same words'
export CXXFLAGS=-O3
full gfx942 fwd
anew 'variables (none), now CXXFLAGS=-O3'

# the checkout: a file whose time stamp tells is left to the linker; one whose time stamp does not is not
echo '#define MORE 1' >>aiter/csrc/include/args.h
full gfx942 fwd
kept 'an edit'
touch -r aiter/csrc/include/args.h stamp
sed -i 's/MORE 1/MORE 2/' aiter/csrc/include/args.h
touch -r stamp aiter/csrc/include/args.h
full gfx942 fwd
anew "the checkout's files changed"
echo '#define NEW 1' >aiter/csrc/include/new.h
full gfx942 fwd
anew "the checkout's files changed"
mv aiter elsewhere && ln -s elsewhere aiter
full gfx942 fwd
kept 'the same name'

# a checkout of another name; a compiler replaced in place, with the time stamp of the old one; ckjit; the profile
touch -r rocm/bin/hipcc stamp
sed -i 's/invalid target ID/Invalid target ID/' rocm/bin/hipcc
touch -r stamp rocm/bin/hipcc
file=w/libmha_fwd/ck_jit_built.txt
sed '1,2d; s/^ckjit .*/ckjit 0.0.9/' "$file" >facts
memo 'built 2' <facts >"$file"
echo '# more' >>ckjit/share/ckjit/profiles/hip.yaml
ckjit-build full --aiter-dir elsewhere --gpu-archs gfx942 --api fwd --tmp-dir w >out 2>&1 || fail "$(cat out)"
for reason in "checkout $T/aiter, now $T/elsewhere" "the compiler's files changed" 'ckjit 0.0.9, now [0-9.]*' 'the profile changed'; do
  anew "$reason"
  rm w/libmha_fwd/objs/mark
done
mark
rm w/libmha_fwd/ck_jit_built.txt
full gfx942 fwd
anew 'what it was built from is not known'

# A CK beside the checkout, which the user has chosen: what builds read of it counts when libraries are installed together, and only then.
mkdir -p ck/include ck/build
echo '#define CK 1' >ck/include/ck.h
export CK_DIR="$T/ck"
full gfx942 ''
mark
echo '#define CK 2' >ck/include/ck.h
full gfx942 fwd
kept 'an edit of CK'
grep -q '^left     libmha_bwd.so, of another build: the files of CK_DIR changed$' out || fail "not said: $(cat out)"
refused 1 'libmha_bwd.so and libmha_fwd.so are of different builds.*: the files of CK_DIR changed; build one of them again' \
  ckjit-build quick --tmp-dir w --install-dir y
echo more >ck/build/product
full gfx942 bwd
ckjit-build quick --tmp-dir w --install-dir y >out 2>&1 || fail "built again, they are not installed: $(cat out)"
echo '#define CK 3' >ck/include/ck.h
refused 1 'y: holds libmha_bwd.so of another build: the files of CK_DIR changed; build both' \
  ckjit-build full --aiter-dir aiter --gpu-archs gfx942 --api fwd --tmp-dir w --install-dir y
unset CK_DIR

# A build that failed leaves no library that the other commands would take.
status=0
FAIL_API=fwd ckjit-build full --aiter-dir aiter --gpu-archs gfx942 --api fwd --tmp-dir w >out 2>&1 || status=$?
[ $status = 1 ] || fail "status $status: $(cat out)"
rm -rf w/libmha_bwd
refused 1 'no library was built here' ckjit-build quick --tmp-dir w
