#!/bin/sh
# make deb: packages that hold what make install installs, and no more, each in Debian's place; they name the glibc that their files need; the
# same bytes twice; unpacked they work. lintian finds nothing, if it is here.
# tier: all
# seconds: 25
. "${0%/*}/common.sh"
[ -z "${SANITIZER-}" ] || skip "make install without its flags would build anew"
need make dpkg-deb objdump strip gzip cc
top=$(dirname "$here")
cd "$T"
export SOURCE_DATE_EPOCH=1700000000
make_deb() {
  make -s -C "$top" B="$B" deb >out 2>&1 || fail "$(cat out)"
  rm -rf "$1"
  mkdir "$1"
  cp "$B"/deb/*.deb "$1/"
}
make_deb one
make_deb two
for file in one/*; do cmp "$file" "two/${file#one/}" || fail "made twice, $file differs"; done
is "packages" "ckjit libckjit-dev libckjit0" "$(for f in one/*; do dpkg-deb -f "$f" Package; done | paste -sd ' ')"
make -s -C "$top" B="$B" install PREFIX= DESTDIR="$T/stage" >out 2>&1 || fail "$(cat out)"
for file in one/*; do dpkg-deb -x "$file" all; done
# the names of what both have, wherever it lies
names() {
  (cd "$1" && find . ! -type d ! -path './usr/share/doc/*' ! -path './usr/share/lintian/*' ! -name installed-directories) | sed 's,.*/,,; s,\.gz$,,' | sort
}
names all >packaged
names stage >installed
cmp -s packaged installed || fail "packaged, and installed: $(diff packaged installed)"
[ -z "$(find all ! -type l -perm /022)" ] || fail "writable by others: $(find all ! -type l -perm /022)"
needed=$(objdump -T all/usr/bin/* all/usr/libexec/ckjit/* 2>/dev/null | sed -n 's/.*GLIBC_\([0-9.]*\).*/\1/p' | sort -uV | tail -n 1)
# no conffiles and no scripts: what is removed is gone, and a purge has nothing to do
for file in one/*; do dpkg-deb -e "$file" "control.$(basename "$file")"; done
is "control files" "control md5sums shlibs triggers" "$(find control.* -type f -printf '%f\n' | sort -u | paste -sd ' ')"
is "the glibc of the programs" "libc6 (>= $needed)" "$(dpkg-deb -f one/ckjit_*.deb Depends)"

mkdir -p rocm/bin
printf '#!/bin/sh\nexec c++ "$@"\n' >rocm/bin/hipcc
chmod +x rocm/bin/hipcc
all/usr/bin/ckjit-build home --dir home --rocm rocm >out 2>&1 || fail "$(cat out)"
has "its own programs" "link=$T/all/usr/libexec/ckjit/ckjit-link" home/ckjit.conf
# the library, by its own pkg-config file in the place of /usr
pc=$(find all -name ckjit.pc)
has "ckjit.pc" 'prefix=/usr' "$pc"
sed -i "s,^prefix=.*,prefix=$T/all/usr," "$pc"
libdir=$(sed -n "s,^libdir=\${prefix},$T/all/usr,p" "$pc")
printf '#include <ckjit.h>\n#include <stdio.h>\nint main(void) { puts(ckjit_version()); }\n' >x.c
cc -I"$T/all/usr/include" x.c -o x -L"$libdir" -lckjit || fail "does not link"
is "version" "$(sed -n 's/^#define CKJIT_VERSION "\(.*\)"/\1/p' "$top/core/base/base.h")" "$(LD_LIBRARY_PATH="$libdir" ./x)"
env -i all/usr/bin/ckjit help cuda >page && [ "$(wc -l <page)" -gt 20 ] || fail "no documents: $(cat page)"

# what is missing leaves nothing
rm stage/bin/ckjit-build stage/include/ckjit.h
(cd "$top" && packaging/deb 1 "$T/stage" "$T/three") >out 2>&1 && fail 'packages without a header'
[ -z "$(ls -A three)" ] || fail "left: $(ls -A three)"
command -v lintian >/dev/null || { echo "without lintian, which is not here" && exit 0; }
lintian --allow-root --fail-on error,warning one/*.deb >out 2>&1 || fail "lintian: $(cat out)"
