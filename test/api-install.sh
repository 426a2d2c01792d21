#!/bin/sh
# make install brings libckjit.so with its soname's links, ckjit.h and ckjit.pc, from which C and C++ programs are built, also
# when the tree is moved; nothing but the functions of the header is exported, each with a version.
# tier: check
. "${0%/*}/common.sh"
need pkg-config g++ make readelf nm
top=$(dirname "$here")
[ -z "${SANITIZER-}" ] || skip "make install without its flags would build anew"
make -C "$top" --no-print-directory B="$B" PREFIX=/opt/ck DESTDIR="$T/stage" install >"$T/out" || fail "$(cat "$T/out")"
version=$(sed -n 's/^#define CKJIT_VERSION "\(.*\)"/\1/p' "$top/core/base/base.h")
mv "$T/stage/opt/ck" "$T/moved here"
lib="$T/moved here/lib"
[ "$(readlink "$lib/libckjit.so")" = "libckjit.so.$version" ] || fail "no link: $(ls -l "$lib")"
soname=$(readelf -d "$lib/libckjit.so" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
[ "$(readlink "$lib/$soname")" = "libckjit.so.$version" ] || fail "no link for the soname $soname: $(ls -l "$lib")"
[ -x "$lib/libckjit.so.$version" ] && [ ! -x "$lib/pkgconfig/ckjit.pc" ] || fail "modes: $(ls -l "$lib" "$lib/pkgconfig")"
needed=$(readelf -d "$lib/libckjit.so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v -e '^libc\.so' -e '^libpthread' -e '^libdl' || true)
[ -z "$needed" ] || fail "it needs more than libc: $needed"

sed -n 's/^CKJIT_API .*[ *]\(ckjit_[a-z_]*\)(.*/\1/p' "$top/api/ckjit.h" | sort >"$T/declared"
[ "$(wc -l <"$T/declared")" -gt 20 ] || fail "declared: $(cat "$T/declared")"
nm -D --defined-only "$lib/libckjit.so" | sed -n 's/.* T //p' | sort >"$T/exported"
sed 's/$/@@CKJIT_0.1/' "$T/declared" | cmp -s - "$T/exported" || fail "exported: $(diff "$T/declared" "$T/exported")"

export PKG_CONFIG_PATH="$lib/pkgconfig"
[ "$(pkg-config --modversion ckjit)" = "$version" ] || fail "version $(pkg-config --modversion ckjit)"
cat >"$T/program.c" <<'END_'
#include <ckjit.h>
#include <stdio.h>
int main(void) {
  ckjit_library *library;
  char *error = NULL;
  int status = ckjit_open("/nonexistent.so", 0, &library, &error);
  printf("%s %s\n", ckjit_version(), ckjit_status_name(status));
  ckjit_free(error);
  return 0;
}
END_
for compiler in "gcc -std=c11" "g++ -std=c++17 -x c++" "gcc -std=c99"; do
  eval "$compiler -Wall -Wextra -pedantic -Werror '$T/program.c' -x none -o '$T/program' $(pkg-config --cflags --libs ckjit)" ||
    fail "$compiler"
  [ "$(LD_LIBRARY_PATH=$lib "$T/program")" = "$version CKJIT_E_OPEN" ] || fail "$compiler: $(LD_LIBRARY_PATH=$lib "$T/program")"
done
eval "g++ -std=c++17 -Wall -Wextra -pedantic -Werror -fsyntax-only -x c++ $(pkg-config --cflags ckjit) -include ckjit.hpp /dev/null" || fail 'ckjit.hpp'
make -C "$top" --no-print-directory B="$B" PREFIX="$T/moved here" uninstall >"$T/out" 2>&1 || true
[ ! -e "$lib/libckjit.so" ] && [ ! -e "$lib/$soname" ] && [ -z "$(ls "$T/moved here/include" 2>/dev/null)" ] || fail "uninstall leaves $(ls "$lib")"
