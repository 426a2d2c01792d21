#!/bin/sh
# What is compiled later must be what the key was made from: of a source that changed since the link
# the kept text is compiled, a header that changed is refused, and so is a source without a kept
# text; a system header or compiler that changed gives code that is stored apart, for those alone
# who have the same.
# tier: all
# seconds: 24
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
mkdir -p sys tools/bin
echo '#pragma once' >sys/system.hpp
echo '#pragma once' >api2.hpp
# the compiler of the build: a wrapper of its own, so that it can be replaced
hipcc=$(command -v hipcc)
printf '#!/bin/sh\nexec "%s" "$@"\n' "$hipcc" >tools/bin/hipcc && chmod +x tools/bin/hipcc
rm -rf home
CK_JIT_HIPCC=$T/tools/bin/hipcc "$B/bin/ckjit-build" home --dir "$T/home" >"$T/exports"
export CK_JIT_BASE="$T/base"
mkdir base && cd base
mv ../api.hpp ../api2.hpp .
kernel 1 && kernel 2 && kernel 3 && kernel 4 && host 1 2 3 4
sed -i '1i #include <system.hpp>\n#include "api2.hpp"' k?.cpp
mkdir early
for name in k1 k2 k3 k4 host; do
  as_build hipcc -x c++ -fPIC -I. -Iearly -isystem "$T/sys" -c $name.cpp -o $name.o || fail "$(cat ../err)"
done
link liba.so k1.o k2.o k3.o k4.o host.o
mv liba.so ..
cd ..
id() {
  for file in "$T/cache/$1".so "$T/cache/$1".*.so; do
    [ ! -e "$file" ] || readelf -n "$file" | sed -n 's/.*Build ID: //p'
  done
}
right liba.so 1
own=$(id k1)

# refused KERNEL TEXT
refused() {
  calls liba.so "$1" >got
  grep -q '^-2 ' got || fail "compiled, though $2: $(cat got)"
  grep -qF "$2" got || fail "it does not say '$2': $(cat got)"
  [ -z "$(id k"$1")" ] || fail "k$1 is in the cache"
}
cp base/k2.cpp keep && sed 's/x.n \* 2/x.n * 3/' keep >base/k2.cpp
right liba.so 2
before=$(id k2)
rm cache/k2*
kept=$(find home/work -name ck_jit_sources)
mv "$kept" kept
refused 2 "base/k2.cpp was changed since the library was linked"
echo damaged >"$kept"
refused 2 "base/k2.cpp was changed since the library was linked"
mv kept "$kept"
mv keep base/k2.cpp
right liba.so 2
is 'the key of the kept text' "$before" "$(id k2)"
rm cache/k2*
cp base/api2.hpp keep && echo '// changed' >>base/api2.hpp
refused 2 "base/api2.hpp was changed since the library was linked"
mv base/api2.hpp gone
refused 2 "base/api2.hpp is gone since the library was linked"
mv keep base/api2.hpp
echo '#pragma once' >base/early/system.hpp
refused 2 "base/early/system.hpp now exists, and would be found instead of another one"
rm base/early/system.hpp
right liba.so 2

# a system header: stored apart, under the same key
cp sys/system.hpp keep && echo '// changed' >>sys/system.hpp
right liba.so 3
other=$(id k3)
mv keep sys/system.hpp
right liba.so 3
[ "$(id k3 | wc -l)" = 2 ] || fail "not stored apart: $(ls cache)"
[ "$(id k3 | cut -c1-32 | sort -u | wc -l)" = 1 ] || fail "not of one key: $(id k3)"
rm cache/k3*.so && right liba.so 3
[ "$(id k3)" != "$other" ] || fail "a changed system header has the code of the library's own"
# found again by who has the same header
rm cache/k3*.so && echo '// changed' >>sys/system.hpp && right liba.so 3
[ "$(id k3)" = "$other" ] || fail "another build id for the same header"
CK_JIT_HIPCC=/bin/false right liba.so 3
echo '#pragma once' >sys/system.hpp

# the build's compiler, replaced where it stands
printf '#!/bin/sh\n# version 2\nexec "%s" "$@"\n' "$hipcc" >tools/bin/hipcc
right liba.so 1 # what is there is of the library's own compiler
[ "$(id k1)" = "$own" ] || fail "k1 was compiled again"
right liba.so 4
second=$(id k4)
printf '#!/bin/sh\nexec "%s" "$@"\n' "$hipcc" >tools/bin/hipcc
right liba.so 4
[ "$(id k4 | wc -l)" = 2 ] || fail "another compiler's code is served: $(id k4)"
[ "$(id k4 | cut -c1-32 | sort -u | wc -l)" = 1 ] || fail "not of one key: $(id k4)"

# a wrapper of the same compiler, by CK_JIT_HIPCC, is the same compiler; another compiler is not
rm cache/k4*.so
printf '#!/bin/sh\nexec "%s" "$@"\n' "$hipcc" >tools/wrapped && chmod +x tools/wrapped
CK_JIT_HIPCC=$T/tools/wrapped right liba.so 4
case $(id k4) in "$second") fail "a wrapper is taken for the replaced compiler" ;; esac
CK_JIT_HIPCC=/bin/false right liba.so 4
rm cache/k4*.so
cat >tools/gcc <<'SHIM'
#!/bin/bash
words=()
for w; do case $w in hip) words+=(c++) ;; --offload-*) ;; *) words+=("$w") ;; esac; done
exec g++ "${words[@]}"
SHIM
chmod +x tools/gcc
CK_JIT_HIPCC=$T/tools/gcc right liba.so 4
foreign=$(id k4)
right liba.so 4
[ "$(id k4 | wc -l)" = 2 ] || fail "gcc's code is served to clang's library: $(id k4)"
rm "$(grep -lE . cache/k4*.so | head -n 1)" cache/k4*.so 2>/dev/null || true
CK_JIT_HIPCC=$T/tools/gcc right liba.so 4
[ "$(id k4)" = "$foreign" ] || fail "gcc's code has another build id the second time"
