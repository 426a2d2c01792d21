#!/bin/sh
# nm and objcopy of recorded objects show and change what the compiler would have made: an export
# list of nm's words, --redefine-sym, `ld -r`
# with --keep-global-symbol, of objects, archives and partial links with code. After nm the kernels
# are still lazy, after objcopy they are the
# compiler's. What is not recorded goes to the real program as it is.
# tier: all
# seconds: 25
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
need nm objcopy
for n in 1 2 3; do kernel $n; done
host 1 2 3
objects k1 k2 k3 host
one=_Z3fwdI6traitsILi1ELb1EEEiRK4argsS2_ two=_Z3fwdI6traitsILi2ELb1EEEiRK4argsS2_
for name in k1 k2 k3 host; do
  hipcc -x c++ -fPIC -fvisibility=hidden -I. -c $name.cpp -o real-$name.o 2>err || fail "$name: $(cat err)"
done
real=$(command -v nm)
same_of() { # RECORDED REAL WORDS…: nm says the same of both
  of=$1 to=$2
  shift 2
  as_build nm "$@" "$of" >got || fail "nm $of: $(cat err)"
  "$real" "$@" "$to" >want
  grep -o '[A-Za-z] _Z\(3fwd\|4name\)I.*' got | sort >got.own || :
  grep -o '[A-Za-z] _Z\(3fwd\|4name\)I.*' want | sort >want.own
  [ -s want.own ] || fail "nm $*: nothing in it"
  cmp got.own want.own || fail "nm $* $of: $(cat got.own)"
}
touch -d 2020-01-01 k1.o
same_of k1.o real-k1.o -g --defined-only
is 'the time of the object' 2020 "$(date -r k1.o +%Y)"
same_of k1.o real-k1.o
as_build nm k1.o k2.o >got || fail "nm of two, one of them again: $(cat err)"
has 'two' "T $two" got
has 'two' "T $one" got
ar rc libk.a k1.o k2.o k3.o
ar rc libreal.a real-k1.o real-k2.o real-k3.o
same_of libk.a libreal.a -g
same_of libk.a libreal.a -g

# They are lazy all the same: as objects, in an archive, joined with each other and with code.
ld -r -o both.o k1.o k2.o
ld -r -o code.o k3.o host.o
same_of code.o real-k3.o --defined-only
for words in 'host.o k1.o k2.o k3.o' 'host.o libk.a' 'host.o both.o k3.o' 'both.o code.o' 'k1.o k2.o -Wl,code.o'; do
  # shellcheck disable=SC2086 # words
  link lib.so $words
  says '3 blobs are lazy'
  right lib.so 1 2 3
done

# An export list
as_build hipcc -x c++ -fPIC -I. -c k1.cpp -o seen.o || fail "$(cat err)"
(echo '{ global:' && as_build nm -g --defined-only seen.o | awk '$2 == "T" { print $3 ";" }' && echo 'local: *; };') >map
link libmap.so -Wl,--version-script=map seen.o
nm -D --defined-only libmap.so >names
has 'exported by a list of nm' "$one" names

# objcopy: the object becomes the compiler's
objects k1 k2 k3
as_build objcopy --redefine-sym "$one=renamed" k1.o r1.o || fail "objcopy: $(cat err)"
printf '#include "api.hpp"\nint renamed(const args &, args) asm("renamed");\nint call(int, char *) { args x{{}, 100}; return renamed(x, {{}, 1}); }\n' >r.cpp
objects r
link libr.so r.o r1.o
CK_JIT_HIPCC=/bin/false calls libr.so 1 >got
is renamed 101 "$(cut -d' ' -f1 got)"
ld -r -o both.o k2.o k3.o
as_build objcopy "--keep-global-symbol=$two" both.o two.o || fail "objcopy: $(cat err)"
nm -g --defined-only two.o >names
is localized 1 "$(grep -c . names)"

# What is not recorded; an error of the program's own
as_build nm host.o >got || fail "nm: $(cat err)"
"$real" host.o | cmp - got || fail 'nm of what is not recorded'
as_build nm absent.o && fail 'nm of nothing'
has 'its own words' absent.o err
as_build objcopy real-k1.o copy.o || fail "objcopy: $(cat err)"
"$real" real-k1.o >want
"$real" copy.o | cmp - want || fail 'objcopy of what is not recorded'
