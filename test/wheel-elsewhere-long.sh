#!/bin/sh
# The wheel that is built here runs in bare roots of other releases of Debian, with an older glibc (11: 2.31) and a newer one (13: 2.41): pip
# installs it there, its programs start and find what belongs to them, libckjit.so is loaded, and a user without HOME has a cache.
# RELEASES names others. For a machine that it is not for pip refuses it there as well.
# tier: long
# seconds: 240
. "${0%/*}/common.sh"
[ -z "${SANITIZER-}" ] || skip "static programs have no sanitizer"
[ "$(id -u)" = 0 ] || skip "needs root, for debootstrap and chroot"
need debootstrap unshare make
make -s -C "$(dirname "$here")" B="$B" wheel >"$T/log" 2>&1 || fail "$(cat "$T/log")"
tried=
for release in ${RELEASES:-bullseye trixie}; do
  root=$T/$release
  # Python is all that is installed there: no compiler, no library of ours
  "$here/toolchain/debian-root" "$root" "$release" python3-venv 2>"$T/err" || { echo "no root of $release: $(cat "$T/err")" && continue; }
  cp "$B"/wheel/*.whl "$root/root/"
  # inside COMMANDS: in the root, with nothing of this machine's environment
  inside() {
    "$here/toolchain/debian-root" --run "$root" /usr/bin/env -i HOME=/root LC_ALL=C.UTF-8 PATH=/usr/bin:/bin /bin/sh -ec "cd /; $1" >"$T/out" 2>&1
  }
  inside 'python3 -m venv /v; /v/bin/pip install -q --no-index --upgrade-strategy only-if-needed /root/ckjit-*.whl' || fail "$release: $(cat "$T/out")"
  inside 'for p in ckjit ckjit-build ckjit-prebuild ckjit-compile; do /v/bin/$p --version; done; env -u HOME /v/bin/ckjit-prebuild status' ||
    fail "$release: programs: $(cat "$T/out")"
  has "$release: a cache without HOME" 'there is no cache directory /root/.cache/ck_jit yet' "$T/out"
  inside '/v/bin/python -c "import ckjit, ckjit._library as l; assert l.version() == ckjit.__version__; print(ckjit.program(\"ckjit\"))"' ||
    fail "$release: import: $(cat "$T/out")"
  has "$release: its programs" /v/bin/ckjit "$T/out"
  # a compiler that compiles nothing is enough for a home
  inside 'mkdir -p /rocm/bin; for p in /rocm/bin/hipcc /usr/bin/c++; do printf "#!/bin/sh\n" >$p; chmod +x $p; done
    /v/bin/ckjit home --dir /h --rocm /rocm; grep -x link=/v/libexec/ckjit/ckjit-link /h/ckjit.conf' || fail "$release: home: $(cat "$T/out")"
  inside 'cd /root; for w in ckjit-*.whl; do cp $w ${w%_*_*}_ppc64le.whl; done; /v/bin/pip install --no-index --target /t ckjit-*_ppc64le.whl' &&
    fail "$release: a wheel for another machine was taken"
  has "$release: another machine" 'is not a supported wheel on this platform' "$T/out"
  [ ! -e "$root/t" ] || fail "$release: something was written"
  tried="$tried $release"
done
[ -n "$tried" ] || skip "no root of another release can be made here"
echo "ran in:$tried"
