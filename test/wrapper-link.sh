#!/bin/sh
# A link is the post-build linker's as soon as any input holds a stub, however it comes in; the output's name is nothing.
# tier: check
. "${0%/*}/common.sh"
need ar c++
cd "$T"
fake_home "$T/h"
blob b.cu && "$T/h/bin/hipcc" -c b.cu -o b.o
blob 'a long name.cu' && "$T/h/bin/hipcc" -c 'a long name.cu' -o 'a long name.o'
echo 'int f() { return 0; }' >f.cpp && c++ -c f.cpp
ar rc libstub.a f.o b.o 'a long name.o'
ar rcT libthin.a f.o 'a long name.o'
ar rc libhost.a f.o
echo 'b.o' >b.rsp && echo "f.o 'a long name.o'" >long.rsp
is() { # is link|real ARGS
  want=$1 && shift
  rm -f h/link.log h/real.log
  "$T/h/bin/hipcc" "$@"
  test -e "h/$want.log" || fail "not by the $want one: $*"
}
is link -shared f.o b.o -o any.so
is link -shared @b.rsp -o any.so
is link -shared @long.rsp -o any.so
is link -shared f.o libstub.a -o any.so
is link -shared f.o libthin.a -o any.so
is link -shared f.o -L. -lstub -o any.so
is link -shared f.o -L . -l thin -o any.so
is link -shared f.o -L"$T" -l:libstub.a -o any.so
is link -shared f.o -Wl,--whole-archive,libstub.a,--no-whole-archive -o any.so
is link -shared f.o -Xlinker b.o -Wl,@b.rsp
is real -shared f.o libhost.a -L. -lhost -l:none.a -lm gone.o -o any.so
is real -r b.o f.o -o partial.o
# a shared library hides the archive beside it, as for the linker
touch libstub.so && is real -shared f.o -L. -lstub && is link -shared f.o -L. -Wl,-Bstatic -lstub
# C++ compilers link, too; and the post-build linker gets the line as it was
"$T/h/bin/c++" @b.rsp -o 'x y'
printf '<%s>\n' --home "$T/h" --work "$T/h/wdir" --compiler "$(command -v c++)" --kind c++ -- @b.rsp -o 'x y' >want
tail -n 14 h/link.log | grep '^<' | cmp -s - want || fail "command line: $(cat h/link.log)"
grep -q '"kind":"link".*"args":\["@b.rsp","-o","x y"\]}$' h/wdir/manifest.json.ndjson || fail "link record"
