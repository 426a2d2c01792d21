#!/bin/sh
# make wheel with the cross compiler gives the wheel for AArch64: its tag says so, all of its programs are static and of that machine, its
# libckjit.so needs nothing newer than glibc 2.28, pip refuses it on this machine, and takes it for that one; its programs start, and make a
# fake home, by qemu-user; its libckjit.so is loaded there. A program of another machine in the wheel is an error that names it.
# tier: long
# seconds: 60
. "${0%/*}/common.sh"
. "$here/unit/aarch64_fixture.sh"
need python3 readelf c++
[ "$(uname -m)" != aarch64 ] || skip "this machine is one"
cd "$T"
version=$(sed -n 's/^#define CKJIT_VERSION "\(.*\)"/\1/p' "$top/core/base/base.h")
aarch64_make wheel
wheel=$(tail -n 1 make.log)
case $wheel in /*) ;; *) wheel=$top/$wheel ;; esac
is tag "ckjit-$version-py3-none-manylinux_2_28_aarch64.whl" "${wheel##*/}"
mkdir in
python3 -m zipfile -e "$wheel" in
grep -qx 'Tag: py3-none-manylinux_2_28_aarch64' in/*.dist-info/WHEEL || fail "another tag: $(cat in/*.dist-info/WHEEL)"
find in -type f -print | while read -r file; do
  readelf -h "$file" >header 2>/dev/null || continue
  echo "$file"
  grep -q 'Machine: *AArch64' header || fail "$file is of another machine"
  case $file in
  *libckjit.so*) ;;
  *)
    readelf -lW "$file" >segments
    lacks "$file: a dynamic linker" INTERP segments
    ;;
  esac
done >elf || exit
is 'programs and library' 9 "$(wc -l <elf)"
newest=$(readelf --dyn-syms -W in/ckjit/libckjit.so.* | grep -o '@GLIBC_[0-9.]*' | sed 's/.*_//' | sort -uV | tail -n 1)
is "libckjit.so's newest symbol is of glibc 2.28 at most" 2.28 "$(printf '%s\n' "$newest" 2.28 | sort -V | tail -n 1)"
lacks "places of the build" "$top/" in -r

# pip
python3 -m venv venv >out 2>&1 || skip "no venv here: $(tail -n 1 out)"
pip() {
  venv/bin/pip --disable-pip-version-check install --no-index --no-deps "$@" >out 2>&1
}
pip "$wheel" && fail "it is installed on $(uname -m)"
has 'this machine' 'is not a supported wheel on this platform' out
pip --only-binary :all: --platform manylinux_2_28_aarch64 --target "$T/there" "$wheel" || fail "$(cat out)"

# the programs
for program in ckjit ckjit-build ckjit-prebuild ckjit-compile; do
  is "$program" "$program $version" "$(env -i "$(command -v qemu-aarch64)" "there/bin/$program" --version)"
done
mkdir -p rocm/bin
printf '#!/bin/sh\nexec c++ "$@"\n' >rocm/bin/hipcc
chmod +x rocm/bin/hipcc
qemu-aarch64 there/bin/ckjit-build home --dir "$T/home" --rocm "$T/rocm" >out 2>&1 || fail "$(cat out)"
grep -qx "link=.*/there/libexec/ckjit/ckjit-link" home/ckjit.conf || fail "the home knows another linker: $(grep link= home/ckjit.conf)"
cat >x.c <<'C'
#include "ckjit.h"
#include <stdio.h>
int main(void) { puts(ckjit_version()); }
C
aarch64-linux-gnu-gcc -I"$aarch64/include" -o x x.c there/ckjit/libckjit.so.*
lib=/usr/aarch64-linux-gnu/lib
is "libckjit.so" "$version" "$(qemu-aarch64 $lib/ld-linux-aarch64.so.1 --library-path $lib:there/ckjit ./x)"

# a program of this machine among them
cp -r "$aarch64/static" static
cp "$(command -v readelf)" static/bin/ckjit
(cd "$top" && SOURCE_DATE_EPOCH=0 packaging/wheel.py --version "$version" --machine aarch64 --soname libckjit.so.0 --stage "$aarch64/wheel/stage" --out "$T/none" \
  --static "$T/static" --library "$aarch64"/static/lib/libckjit.so.* >"$T/out" 2>&1) && fail 'a program of this machine is taken'
has 'another machine' 'static/bin/ckjit: expected a program for aarch64, as libckjit.so' out
[ ! -e none ] || fail "a wheel was written"
