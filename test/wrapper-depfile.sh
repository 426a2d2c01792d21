#!/bin/sh
# The depfile that a build asks for is written for a recorded blob, as the compiler would name it; ninja and make read it.
# tier: check
. "${0%/*}/common.sh"
cd "$T"
fake_home "$T/h"
mkdir -p inc sys 'a b'
blob 'a b/x.cu'
echo '#include "deep.hpp"' >inc/kernel.hpp
echo '#include <sys.hpp>' >inc/deep.hpp
touch sys/sys.hpp
"$T/h/bin/hipcc" -Iinc -isystem sys -MMD -MF x.d -c 'a b/x.cu' -o x.o
test "$(tr -d '\\\n' <x.d)" = "x.o: a b/x.cu   inc/kernel.hpp   inc/deep.hpp" || fail "-MMD: $(cat x.d)"
"$T/h/bin/hipcc" -Iinc -isystem sys -MD -MP -MT 'one two' -c 'a b/x.cu' -o y.cuda.o
grep -q '^one two: a\\ b/x.cu' y.cuda.d || fail "-MD, -MT: $(cat y.cuda.d)"
grep -q '^sys/sys.hpp:$' y.cuda.d || fail "-MP: $(cat y.cuda.d)"
"$T/h/bin/hipcc" -Wp,-MMD,k.d -c 'a b/x.cu' -o z.o
grep -q '^z.o:' k.d || fail "-Wp,-MMD"
"$T/h/bin/hipcc" -c 'a b/x.cu' -o none.o
test ! -e none.d || fail "a depfile that nobody asked for"

# make takes it: a changed header rebuilds
printf 'x.o:\n\t@echo rebuilt; touch x.o\n-include x.d\n' >Makefile
if command -v make >/dev/null; then
  touch -d '9 seconds ago' 'a b/x.cu' inc/*.hpp sys/*.hpp && touch -d '5 seconds ago' x.o
  test "$(make -s x.o)" = "" || fail "make: $(make -s x.o)"
  touch inc/deep.hpp
  test "$(make -s x.o)" = rebuilt || fail "make did not see the header"
fi

# through a link and into a name of any length, as compilers write it
ln -s real.d link.d
"$T/h/bin/hipcc" -MMD -MF link.d -c 'a b/x.cu' -o z.o
test -L link.d && grep -q '^z.o:' real.d || fail 'a linked depfile was not written through'
long=$(printf %0253d 0).d
"$T/h/bin/hipcc" -MMD -MF "$long" -c 'a b/x.cu' -o z.o
grep -q '^z.o:' "$long" || fail 'a long name'

if SHIM_STATUS=3 "$T/h/bin/hipcc" -MMD -MF none/x.d -c 'a b/x.cu' -o bad.o 2>err; then fail "an impossible depfile"; fi
grep -qx '<none/x.d>' h/real.log || fail "the compiler, which says what is wrong, was not called: $(cat err)"
test ! -e bad.o || fail "an object was left behind"
