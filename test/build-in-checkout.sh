#!/bin/sh
# A work directory in the checkout works, in all ways to name it, and is in no copy: neither its own nor that of a later build with
# another one. One that is the checkout, or holds it, is refused before anything is made.
# tier: check
# seconds: 20
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
installation
rocm "$T/rocm"
aiter "$T/aiter"
cd "$T"
full() {
  ckjit-build full --gpu-archs gfx942 --api fwd "$@" >"$T/out" 2>&1 || fail "full $*: $(cat "$T/out")"
}
copied() { # what is in the copy of the work directory $1 that is not in the checkout as it was
  (cd "$1/src_fwd" && find . ! -path './aiter/jit/build*' ! -name '*.pyc' ! -name '*.so' | sort) >copy
  comm -13 before copy
}
(cd aiter && find -L . | sort) >before

(
  cd aiter
  refused 1 'tmp-dir .*/aiter: is the aiter checkout itself' ckjit-build full --aiter-dir . --gpu-archs gfx942 --tmp-dir .
  refused 1 'tmp-dir .*/aiter: is the aiter checkout itself' ckjit-build full --aiter-dir ../aiter/ --gpu-archs gfx942 --tmp-dir ./
)
ln -s . here
for dir in . "$T/" here aiter/..; do
  refused 1 'tmp-dir .*: holds the aiter checkout .*/aiter, and a build removes what it finds there; name another' \
    ckjit-build full --aiter-dir aiter --gpu-archs gfx942 --tmp-dir "$dir"
done
ln -s aiter link
mkdir w0
ln -s ../aiter w0/src_fwd # a link of the name of a copy, to the checkout
refused 1 'tmp-dir .*/w0: holds src_fwd, which ckjit-build did not make' ckjit-build full --aiter-dir w0/src_fwd --gpu-archs gfx942 --tmp-dir w0
rm -r w0
(cd aiter && find -L . | sort) | diff before - || fail 'something was made in the checkout'
[ ! -e src_fwd ] && [ ! -e home ] && [ ! -e .ckjit-lock ] || fail "something was made: $(ls -A)"

# inside: relative, nested, with trailing slashes, through a link; each with what the others left
(cd aiter && full --aiter-dir . --tmp-dir w1)
full --aiter-dir aiter --tmp-dir aiter/3rdparty/w2/deep///
ln -s aiter/w3 w3link
mkdir aiter/w3
full --aiter-dir aiter --tmp-dir w3link/
full --aiter-dir link/ --tmp-dir link/w4 --install-dir aiter/installed
full --aiter-dir aiter --tmp-dir aiter/w1/inner
# a link in the checkout to a work directory outside, an installed library, a fake home, and a work directory without its home
full --aiter-dir aiter --tmp-dir outside
ln -s ../outside aiter/to-outside
ckjit-build home --dir aiter/hip --rocm rocm >exports
rm -r aiter/w4/home
full --aiter-dir aiter --tmp-dir last
for w in aiter/w1 aiter/3rdparty/w2/deep aiter/w3 aiter/w4 aiter/w1/inner outside last; do
  more=$(copied "$w" | grep -v -x -e ./installed -e ./3rdparty/w2) || :
  [ -z "$more" ] || fail "in the copy of $w: $more"
done
full --aiter-dir aiter --tmp-dir aiter/w1 --anew
copied aiter/w1 | lacks 'in the second copy' ./installed - -v -x -e ./3rdparty/w2
