#!/bin/sh
# make wheel: programs that need no library and a libckjit.so that needs no symbol newer than its tag says; the same bytes twice; installed by
# pip into a virtual environment it makes fake homes and opens libraries from where it lies; for another machine pip refuses it before
# anything is written; doctor tells the machine's glibc, not that of the static programs. A library or symbol that not every distribution has is named, and no wheel is written.
# tier: all
# seconds: 25
. "${0%/*}/common.sh"
[ -z "${SANITIZER-}" ] || skip "static programs have no sanitizer"
need make python3 readelf c++ cc od
top=$(dirname "$here")
cd "$T"
make_wheel() {
  make -s -C "$top" B="$B" wheel >"$T/out" 2>&1 || fail "$(cat "$T/out")"
  wheel=$(tail -n 1 "$T/out")
  case $wheel in /*) ;; *) wheel=$top/$wheel ;; esac
}
python3 -m venv venv >out 2>&1 || skip "no venv here: $(tail -n 1 out)"
make_wheel
sum=$(sha256sum <"$wheel")
make_wheel
is "made twice" "$sum" "$(sha256sum <"$wheel")"
cp "$wheel" .
wheel=$T/${wheel##*/}
pip() {
  venv/bin/pip --disable-pip-version-check "$@" >out 2>&1
}

# what is in it
mkdir in
python3 -m zipfile -e "$wheel" in
for program in in/*.data/scripts/* in/*.data/data/libexec/ckjit/*; do
  case $(head -c 4 "$program" | od -An -c | tr -d ' ') in 177ELF) ;; *) continue ;; esac
  readelf -lW "$program" >segments
  lacks "$program: a dynamic linker" INTERP segments
done
(cd "$B/bin" && ls) >programs
(cd in/*.data/scripts && ls) | cmp -s - programs || fail "other programs than make install's: $(ls in/*.data/scripts)"
newest=$(readelf --dyn-syms -W in/ckjit/libckjit.so.* | grep -o '@GLIBC_[0-9.]*' | sed 's/.*_//' | sort -uV | tail -n 1)
is "libckjit.so's newest symbol is of glibc 2.28 at most" 2.28 "$(printf '%s\n' "$newest" 2.28 | sort -V | tail -n 1)"
lacks "places of the build" "$top/" in -r

metadata=$(cat in/*.dist-info/METADATA)
for field in 'Author: The ckjit authors' 'License: MIT' 'Classifier: Topic :: Software Development :: Build Tools'; do
  case $metadata in *"$field"*) ;; *) fail "no '$field' in the metadata" ;; esac
done
case $metadata in *Project-URL*) fail 'an address that nobody named' ;; esac
make -s -C "$top" B="$B" HOMEPAGE=https://example.org/ckjit/ wheel >out 2>&1 || fail "with an address: $(cat out)"
python3 -m zipfile -e "$(tail -n 1 out | sed "s,^\([^/]\),$top/\1,")" addressed
has 'the address' 'Project-URL: Homepage, https://example.org/ckjit' "$(echo addressed/*.dist-info/METADATA)"
# without python3 make says so before it compiles anything
mkdir tools
for program in sh sed make; do ln -s "$(command -v $program)" tools/; done
PATH=$T/tools make -C "$top" B="$T/none" wheel >out 2>&1 && fail 'a wheel without python3'
has 'without python3' '`make wheel` needs python3, which is not here; test/install-packages build installs it' out
[ ! -e none ] || fail "begun without python3: $(find none | head)"

# other machines
for platform in manylinux_2_27_x86_64 manylinux_2_28_ppc64le musllinux_1_2_x86_64 macosx_11_0_arm64; do
  pip install --no-index --no-deps --only-binary :all: --platform $platform --target "$T/other" "$wheel" && fail "$platform: taken"
  has "$platform" "is not a supported wheel on this platform" out
  [ ! -e other ] || fail "$platform: something was written"
done

# this one
pip install --no-index "$wheel" || fail "$(cat out)"
venv/bin/pip check >out 2>&1 || fail "$(cat out)"
python=$T/venv/bin/python
export CK_JIT_CACHE_DIR="$T/cache" CK_JIT_KFD_ROOT="$T/no-gpus"
unset PYTHONPATH LIBCKJIT CKJIT_BIN ROCM_PATH ROCM_HOME HIP_PATH CXX
version=$(sed -n 's/^#define CKJIT_VERSION "\(.*\)"/\1/p' "$top/core/base/base.h")
env -i venv/bin/ckjit help cuda >page && [ "$(wc -l <page)" -gt 20 ] || fail "no documents: $(cat page)"
for program in ckjit ckjit-build ckjit-prebuild ckjit-compile; do
  is "$program" "$program $version" "$(env -i "venv/bin/$program" --version)"
done
# The programs have a libc of their own: the one that matters to jobs is the machine's, which getconf knows.
mkdir conf
libc() {
  printf '#!/bin/sh\n[ "$*" = GNU_LIBC_VERSION ] && %s\n' "$1" >conf/getconf
  chmod +x conf/getconf
  PATH=$T/conf:$PATH venv/bin/ckjit doctor >out 2>&1 || :
  sed -n 's/^\([a-z]*\)  *libc  *//p' out
}
case $(libc 'echo glibc 2.31') in 'glibc 2.31'*2.34*) ;; *) fail "an old glibc: $(cat out)" ;; esac
is "a new glibc" "glibc 2.99" "$(libc 'echo glibc 2.99')"
case $(libc 'exit 1') in 'no glibc found'*) ;; *) fail "no glibc: $(cat out)" ;; esac
# CMake's find_package(ckjit) with the environment's directory: the configuration, and the program that it names
[ -e venv/share/cmake/ckjit/ckjitConfigVersion.cmake ] || fail 'no share/cmake in the wheel'
config=venv/share/cmake/ckjit/ckjitConfig.cmake
program=$(sed -n 's|.*CKJIT_PREBUILD "${CMAKE_CURRENT_LIST_DIR}/\(.*\)" ABSOLUTE.*|\1|p' "$config")
[ -x "${config%/*}/$program" ] || fail "ckjitConfig.cmake's program: ${config%/*}/$program"
mkdir -p rocm/bin
printf '#!/bin/sh\nexec c++ "$@"\n' >rocm/bin/hipcc
chmod +x rocm/bin/hipcc
cat >session.py <<'END'
import os, sys, ckjit
assert ckjit.__version__ == sys.argv[1] and ckjit.__file__.startswith(sys.prefix), ckjit.__file__
assert ckjit.program("ckjit-build") == sys.prefix + "/bin/ckjit-build", ckjit.program("ckjit-build")
with ckjit.home(directory="home", rocm="rocm") as home:
    assert os.environ["ROCM_PATH"] == home.directory
assert "link=" + sys.prefix + "/libexec/ckjit/ckjit-link" in open("home/ckjit.conf").read().split("\n"), open("home/ckjit.conf").read()
import ckjit._library
assert os.path.dirname(ckjit._library._lib._name) == os.path.dirname(ckjit.__file__), ckjit._library._lib._name
assert ckjit._library.version() == sys.argv[1]
END
"$python" session.py "$version" >out 2>&1 || fail "$(cat out)"
printf 'import os, platform, sys\nplatform.machine = lambda: "riscv64"\nimport ckjit\n' >riscv.py
"$python" riscv.py >out 2>&1 && fail 'imported on another machine'
has "another machine" ", and this is linux on riscv64: install the wheel of this machine" out
# pip install --target: a directory that no Python is at home in
mkdir target
pip install --no-index --no-deps --target "$T/target" "$wheel" || fail "$(cat out)"
(cd / && PYTHONPATH="$T/target" python3 -c "import ckjit; assert ckjit.program('ckjit-build') == '$T/target/bin/ckjit-build', ckjit.program('ckjit-build')") ||
  fail "pip install --target"
target/bin/ckjit-build home --dir "$T/home2" --rocm "$T/rocm" >out 2>&1 || fail "$(cat out)"
pip uninstall -y ckjit || fail "$(cat out)"
[ -z "$(find venv -name '*ckjit*')" ] || fail "left by uninstall: $(find venv -name '*ckjit*')"

# what does not run everywhere is refused, and named. The programs of $B have a dynamic linker.
cp -r "$B/wheel/stage" stage
pack() {
  (cd "$top" && SOURCE_DATE_EPOCH=0 packaging/wheel.py --version "$version" --machine "$(uname -m)" --soname libckjit.so.0 --stage "$T/stage" --out "$T/none" "$@" >"$T/out" 2>&1)
}
readelf -lW stage/bin/ckjit-build >segments
if grep -q INTERP segments; then
  pack --static "$T/nothing" --library "$B"/static/lib/libckjit.so.* && fail 'programs with a dynamic linker'
  has dynamic 'expected a static program, this one has a dynamic linker or a library' out
fi
echo 'double sin(double); double g(double x) { return sin(x); }' >x.c
cc -shared -fPIC -o libx.so x.c -Wl,--no-as-needed -lm
pack --static "$B/static" --library "$T/libx.so" && fail 'a library that needs libm'
has "libm" 'libx.so: needs libm.so.6, which is not in every distribution' out
cat >x.c <<'END'
#include <pthread.h>
int f(pthread_t *t, void *(*g)(void *)) { return pthread_create(t, 0, g, 0); }
END
cc -shared -fPIC -o libx.so x.c
case $(readelf --dyn-syms -W libx.so | grep -o 'pthread_create@GLIBC_[0-9.]*') in
*_2.3[0-9])
  pack --static "$B/static" --library "$T/libx.so" && fail 'a library that needs a newer glibc'
  has "glibc" 'libx.so: pthread_create is of glibc 2.34, newer than the wheel' out
  ;;
esac
[ ! -e none ] || fail "a wheel was written: $(ls none)"
