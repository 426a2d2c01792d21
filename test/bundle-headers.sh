#!/bin/sh
# Headers of every kind are carried: in nested directories, with a space in the name, through a link, generated in the build, by -include,
# -isystem, a relative -I, a response file; and sources in a static archive. A header that is outside of the build is reported at the link,
# with what to do, and so is an include by an absolute name.
# tier: all
# seconds: 25
. "${0%/*}/common.sh"
. "${0%/*}/unit/postbuild_fixture.sh"
echo keep=bundle >>home/ckjit.conf
unset CK_JIT_HIPCC CK_JIT_ROOT CK_JIT_MANIFEST
export CK_JIT_ARCH=gfx90a HOME="$T"
cat >main.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int n, char **args) {
  void *h = dlopen(args[1], RTLD_NOW);
  int (*call)(void) = h ? (int (*)(void))dlsym(h, "call") : 0;
  if (!call) return puts(dlerror()), 2;
  printf("%d\n", call());
}
END
gcc main.c -o main -ldl
echo 'template <int N> int value(int x);' >value.hpp
tree() { # INCLUDE…: p, the sources of a library; v1.cpp has these includes as well
  rm -rf p
  mkdir -p "p/src/in c/deep" p/real p/sysinc p/x p/build/gen
  ln -s ../real p/src/link
  echo '#define ONE 1' >'p/src/in c/deep/one two.h'
  echo '#include "deep/one two.h"' >'p/src/in c/top.h'
  echo '#define REAL 2' >p/real/real.h
  echo '#define SYS 3' >p/sysinc/sys.h
  echo '#define REL 4' >p/x/rel.h
  echo '#define GEN 5' >p/build/gen/gen.h
  echo '#define FORCED 6' >p/src/forced.h
  cp value.hpp p/x/
  printf '%s' '-I../x -isystem ../sysinc -Igen' >p/build/opts
  {
    printf '#include %s\n' '"value.hpp"' '"top.h"' '<real.h>' '<sys.h>' '"../x/rel.h"' '"gen.h"' "$@"
    echo 'template <> int value<1>(int x) { return x + ONE + REAL + SYS + REL + GEN + FORCED; }'
  } >p/src/v1.cpp
  printf '#include "value.hpp"\nextern "C" int call() { return value<1>(0); }\n' >p/src/api.cpp
}
# library NAME: NAME/lib.so of the tree, built in p/build; what the link says is in err
library() (
  mkdir "$1"
  cd p/build || exit
  as_build hipcc -x c++ -fPIC '-I../src/in c' -I../src/link @opts -include ../src/forced.h -c ../src/v1.cpp -o v1.o || fail "$1: $(cat "$T/err")"
  g++ -fPIC -I../x -c ../src/api.cpp -o api.o
  ar rcs libv.a v1.o
  as_build hipcc -shared api.o -o "$T/$1/lib.so" -L. -lv || fail "$1: $(cat "$T/err")"
)
elsewhere() { # NAME
  rm -rf p home/work cache
  mv outside hidden
  ./main "$1/lib.so" 2>&1 || :
  mv hidden outside
}
mkdir outside
echo '#define OUTSIDE 7' >outside/o.h

tree
library all
lacks "all are carried" 'does not carry' err
"$B/bin/ckjit" bundle --list all/lib.so >list
for name in 'src/in c/deep/one two.h' 'src/link/real.h' 'sysinc/sys.h' 'x/rel.h' 'build/gen/gen.h' 'src/forced.h' 'src/v1.cpp'; do
  grep -q "^carried	.*$name\$" list || fail "not carried: $name: $(grep ^carried list)"
done
is "headers of every kind" 21 "$(elsewhere all)"
rm -rf cache
"$B/bin/ckjit" build --all all/lib.so >out 2>&1 || fail "build: $(cat out)"
is "after ckjit build" 21 "$(CK_JIT_ON_MISS=error ./main all/lib.so 2>&1)"

tree '"../../outside/o.h"'
library relative
has "outside" "its bundle does not carry $T/outside/o.h, which is outside of $T/p" err
has "outside: what to do" "set CK_JIT_BASE to a directory that has both" err
tree '"../../outside/o.h"'
export CK_JIT_BASE="$T"
library base
lacks "with CK_JIT_BASE" 'does not carry' err
is "with CK_JIT_BASE" 21 "$(elsewhere base)"

tree "\"$T/outside/o.h\""
library absolute
has "an absolute name" "which includes $T/outside/o.h by an absolute name" err
