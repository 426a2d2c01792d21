#!/bin/sh
# A blob's stub in an archive is a member like any other: it is linked if something needs it and
# nothing before it has that. So a library that
# needs nothing of an archive exports nothing of it, a program's own function or the first of two
# archives wins, --exclude-libs hides it,
# --whole-archive takes it. By each way to name an archive, of stubs, of stubs and code, thin; ahead
# of time, in a relink, by quick, as without ckjit.
# tier: all
# seconds: 60
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
need nm ranlib
for n in 1 2 3 4; do kernel $n; done
host 1 2 3
objects k1 k2 k3 k4 host
echo 'extern "C" __attribute__((visibility("default"))) int other() { return 4; }' >other.cpp
objects other
one=_Z3fwdI6traitsILi1ELb1EEEiRK4argsS2_
exported() { nm -D --defined-only "$1" | awk '{ print $3 }' | grep -v '^_Z.*NSt\|^_ZSt\|^_ZNK\?St' | sort | xargs; }

# Not needed, not there. -fvisibility=hidden would hide it anyway.
as_build hipcc -x c++ -fPIC -I. -c k1.cpp -o seen1.o || fail "$(cat err)"
ar rc libseen.a seen1.o
link libother.so other.o libseen.a
is 'not needed' other "$(exported libother.so)"
link libother.so other.o -Wl,--whole-archive libseen.a -Wl,--no-whole-archive
exported libother.so >names
has 'linked whole' "$one" names
printf '#include "api.hpp"\nint call(int, char *) { return fwd<traits<1, true>>({}, {}); }\n' >user.cpp
objects user
link libuser.so user.o -L. -lseen
exported libuser.so >names
has 'needed: it is exported' "$one" names
for how in 'ALL -L. -lseen' 'libseen.a -L. -lseen' 'libseen.a libseen.a' 'libseen.a -Wl,libseen.a' 'ALL -Xlinker libseen.a'; do
  # shellcheck disable=SC2086 # words
  link libuser.so user.o -Wl,--exclude-libs,$how
  is "--exclude-libs,$how" call "$(exported libuser.so)"
done
# shellcheck disable=SC2086 # words
link libuser.so user.o -Wl,--exclude-libs,libseen.a,libseen.a
is '--exclude-libs in one word with it' call "$(exported libuser.so)"

# A definition before it wins, and nothing is defined twice.
kernel 1 7
cp k1.cpp mock.cpp
hipcc -x c++ -fPIC -I. -c mock.cpp -o mock.o 2>err || fail "$(cat err)"
ar rc libk.a k1.o k2.o k3.o
link libmock.so host.o mock.o libk.a
calls libmock.so 1 2 >got
is 'its own function wins' '701 201' "$(cut -d' ' -f1 got | xargs)"
mkdir -p second
sed 's/x.n \* 7/x.n * 9/' mock.cpp >second/k1.cpp
as_build hipcc -x c++ -fPIC -fvisibility=hidden -I. -c second/k1.cpp -o second/k1.o || fail "$(cat err)"
ar rc second/libk2.a second/k1.o
kernel 1
link libtwo.so host.o second/libk2.a -L. -lk
calls libtwo.so 1 2 >got
is 'the first archive wins' '901 201' "$(cut -d' ' -f1 got | xargs)"
link libtwo.so host.o -L. -lk second/libk2.a
right libtwo.so 1 2 3

# Each way to name one; each has the stubs of two kernels of k1 … k4 that are needed, and none else.
ar rc libk.a k1.o k2.o k3.o k4.o other.o
ar rcT libthin.a k1.o k2.o k3.o k4.o other.o
ld -r -o joined.o k1.o k2.o
ld -r -o withcode.o k3.o other.o
ar rc libjoined.a joined.o withcode.o k4.o
mkdir x y
cp k1.o x/k.o && cp k2.o y/k.o && cp k3.o k.o
ar qc libsame.a x/k.o y/k.o k.o k4.o
echo "$T/libk.a" >list
for words in libk.a '-L. -lk' '-L. -l:libk.a' -Wl,--start-group,libk.a,--end-group \
  -Wl,@list '-Xlinker libk.a' libthin.a libjoined.a libsame.a 'libk.a -L. -lk'; do
  # shellcheck disable=SC2086 # words
  link libany.so host.o $words
  right libany.so 1 2 3
  says ' are lazy'
  nm libany.so >names
  has "$words" 'fwdI6traitsILi3' names
  lacks "$words: k4 is not needed" 'fwdI6traitsILi4' names
done
for linker in bfd gold lld mold; do
  command -v ld.$linker >/dev/null || continue
  link libany.so -fuse-ld=$linker -Wl,--gc-sections host.o libjoined.a
  right libany.so 1 2 3
done

for linker in gold lld mold; do
  command -v ld.$linker >/dev/null || continue
  link libany.so -fuse-ld=$linker host.o mock.o -Wl,--start-lib k1.o k2.o k3.o k4.o other.o -Wl,--end-lib
  calls libany.so 1 2 3 >got
  is "$linker, --start-lib" '701 201 301' "$(cut -d' ' -f1 got | xargs)"
  nm libany.so | lacks "$linker, --start-lib: what is not needed" 'fwdI6traitsILi4\| other$' -
done

# What the linker says and lists is called as the build calls it.
link libany.so -Wl,--trace -Wl,--dependency-file=a.d host.o libk.a >said
grep -F 'libk.a' said >names
lacks 'the linker names a copy' copies names
has 'the list of inputs' '  libk.a ' a.d
lacks 'the list of inputs' copies a.d

# The archive is the build's: it is not changed.
sha256sum libk.a libthin.a k1.o >sums
link libany.so host.o libk.a
sha256sum -c sums >/dev/null || fail 'the archive was written'

# ahead of time, quick, as without ckjit
echo k2 >list
CK_JIT_VERBOSE='' "$B/bin/ckjit-build" relink --tmp-dir "$work" --aot-list list >out 2>&1 || fail "relink: $(cat out)"
CK_JIT_HIPCC=/bin/false calls libany.so 2 >got
is 'ahead of time' 201 "$(cut -d' ' -f1 got)"
"$B/bin/ckjit-build" quick --tmp-dir "$work" >out 2>&1 || fail "quick: $(cat out)"
right libany.so 1 2 3
is 'quick: the same is linked' '' "$(nm libany.so | grep fwdI6traitsILi4 || :)"
echo '#error "no runtime today"' >broken.c
CK_JIT_RUNTIME_SRC=$T/broken.c link libstock.so host.o mock.o libk.a
says 'libstock.so: it is built without ckjit'
CK_JIT_HIPCC=/bin/false calls libstock.so 1 2 >got
is 'as without ckjit' '701 201' "$(cut -d' ' -f1 got | xargs)"
