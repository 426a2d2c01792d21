#!/bin/sh
# What a kernel's host code needs of other libraries, shared ones and archives, named in any way, is
# there at its first call: if nothing else in the library needs it and the linker has --as-needed, and
# if the library is on a machine without the directories of the build, with a bundle or without. Of two
# libraries that define it the first one counts, as in a regular link.
# tier: all
# seconds: 33
. "${0%/*}/common.sh"
. "${0%/*}/unit/postbuild_fixture.sh"
unset CK_JIT_HIPCC CK_JIT_ROOT CK_JIT_MANIFEST
export CK_JIT_ARCH=gfx90a HOME="$T" CK_JIT_BASE="$T/src"
mkdir src run
echo 'template <int N> int value(int x);' >src/value.hpp
printf '#include "value.hpp"\nint other(int);\ntemplate <> int value<1>(int x) { return other(x); }\n' >src/v.cpp
printf '#include "value.hpp"\nint member(int);\ntemplate <> int value<2>(int x) { return member(x); }\n' >src/w.cpp
printf '#include "value.hpp"\nextern "C" int call(int x) { return value<1>(x); }\nextern "C" int call2(int x) { return value<2>(x); }\n' >one.cpp
g++ -fPIC -Isrc -c one.cpp
cat >main.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int n, char **args) {
  void *h = dlopen(args[1], RTLD_NOW);
  int (*call)(int) = h ? (int (*)(int))dlsym(h, args[2]) : 0;
  if (n < 3 || !call) return puts(dlerror()), 2;
  printf("%d\n", call(6));
}
END
gcc main.c -o main -ldl
export LD_LIBRARY_PATH="$T/run"
conf=$(cat home/ckjit.conf)
# other/: a shared library and an archive
others() {
  rm -rf other
  mkdir other
  echo 'int other(int x) { return x * 7; }' >other/o.cpp
  echo 'int member(int x) { return x * 8; }' >other/m.cpp
  g++ -shared -fPIC -Wl,-soname,libother.so.2 -o other/libother.so other/o.cpp
  g++ -fPIC -c other/m.cpp -o other/m.o
  ar rc other/libmember.a other/m.o
  cp other/libother.so run/libother.so.2
}
# built NAME WORDS…: there/NAME/lib.so, whose kernels are v and w
built() {
  name=$1
  shift
  mkdir -p "there/$name"
  as_build hipcc -shared -o lib.so v.o w.o one.o "$@" || fail "$name: $(cat err)"
  cp lib.so "there/$name/lib.so"
}
for kernel in v w; do
  as_build hipcc -x c++ -fPIC -Isrc -c src/$kernel.cpp -o $kernel.o || fail "$(cat err)"
done
calls() { # NAME WHAT
  rm -rf cache
  is "$1, $2: a shared library" 42 "$(./main "there/$1/lib.so" call 2>&1)"
}
for form in '-Lother -lother' other/libother.so; do
  # shellcheck disable=SC2086 # words
  set -- $form -Lother -lmember
  echo "$conf" >home/ckjit.conf
  others
  built plain -Wl,--as-needed "$@"
  calls plain "$form"
  is "an archive" 48 "$(./main there/plain/lib.so call2 2>&1)"
  mv other gone
  calls plain "$form, the directory of the build is gone"
  mv gone other
  echo keep=bundle >>home/ckjit.conf
  built bundled -Wl,--as-needed "$@"
  mv src away
  rm -rf other
  calls bundled "$form, given away"
  is "an archive that the bundle carries" 48 "$(./main there/bundled/lib.so call2 2>&1)"
  mv away src
done
"$B/bin/ckjit" bundle --list there/bundled/lib.so >list
has "the archive" "carried	+libs/libmember.a" list
lacks "a shared library" libother list

# away NAME WORDS…: the library of such a link, given away
away() {
  built "$@"
  mv src away
  mv other gone
  calls "$1" "$*"
  is "$*: an archive" 48 "$(./main "there/$1/lib.so" call2 2>&1)"
  mv away src
  mv gone other
}
others
away words -Wl,--as-needed,-Lother,-lother -Xlinker -lmember
# another library that defines it, and that other code of this one needs
echo 'int other(int x) { return x; } int last(int x) { return x; }' >other/l.cpp
echo 'int last(int); int use(int x) { return last(x); }' >use.cpp
g++ -shared -fPIC -Wl,-soname,liblast.so -o other/liblast.so other/l.cpp
g++ -fPIC -c use.cpp
cp other/liblast.so run
away order use.o -Wl,--as-needed -Lother -lother -llast -lmember
# in a directory of the linker's own, beside a thin archive in a list; gold, to which the runtime's
# table of imports could be at the library's beginning
mkdir system
mv other/libother.so system
rm other/libmember.a
ar rcT other/libmember.a other/m.o
echo '-lother -Lother -lmember' >list.rsp
if command -v ld.gold >which; then linker=-fuse-ld=gold; else linker=-fuse-ld=bfd; fi
LIBRARY_PATH=$T/system away system $linker -Wl,--as-needed,@list.rsp
# -Bstatic, beside a shared library of the name
others
g++ -shared -fPIC -o other/libmember.so other/m.o
away static -Lother -lother -Wl,-Bstatic -lmember -Wl,-Bdynamic
