#!/bin/sh
# A language, `--` or an option of the linker that is in force at the end of a command line does not
# act on what ckjit-link adds. An object is found by whichever option it reaches the linker.
# tier: all
# seconds: 35
. "${0%/*}/common.sh"
. "$here/unit/line_fixture.sh"

# builds COMMAND...: in the fake home, to ./app, which calls the kernel
builds() {
  first=$1
  rm -f app
  shift
  in_home "$first" -o app "$@" || fail "$kind: $first $*: $(cat err)"
  is "$kind: $first $*" 31 "$(./app)"
  [ "$kind" != hip ] || [ -n "$(find "$CK_JIT_CACHE_DIR" -name '*.so')" ] || fail "$*: no kernel was compiled at its first call"
}

for k in $kinds; do
  kind "$k"
  echo k1.o >k.rsp
  echo 'main.o k1.o' >all.rsp
  if [ "$k" = hip ]; then
    builds hipcc main.cpp -L. -lk
    builds hipcc -x c++ main.cpp -L. -lk
    builds hipcc -x hip main.cpp -x none k1.o
    builds hipcc main.o --for-linker k1.o
    : >other.cpp
    builds clang++ main.o -L. -lk -x c++ other.cpp
    builds clang++ main.o -L. -lk -- other.cpp
    builds clang++ -Xlinker k1.o -- main.o
  else
    # shellcheck disable=SC2086 # its words
    {
      builds $compiler -x cu main.cpp -L. -lk
      builds $compiler -x cu main.cpp -Xlinker k1.o
      builds $compiler main.o -Xlinker=k1.o
      builds $compiler main.o --linker-options k1.o
      builds $compiler main.o -Xlinker -Bdynamic,k1.o
      builds $compiler main.o -Xlinker @k.rsp
      builds $compiler -optf all.rsp
    }
  fi
  builds c++ -x c++ main.cpp -L. -lk
  builds c++ main.o -L. -Wl,--whole-archive -lk -Wl,--no-whole-archive
  builds c++ main.o -L. -Wl,--start-group -lk
  builds c++ main.o -L. -Wl,--as-needed -lk
  builds c++ main.o -L. -Wl,-Bstatic -lk -Wl,-Bdynamic
  builds c++ main.o -Xlinker k1.o
  builds c++ main.o -Wl,-Bdynamic,k1.o
  builds c++ main.o -Xlinker @k.rsp
  builds c++ @all.rsp
  # a file that is data, not code: what comes after it is not
  echo text >note.txt
  builds c++ main.o -L. -lk -Wl,--format=binary -Wl,note.txt -Wl,--format=default
  cd "$T"
done
# the library can be linked again by what is kept of such a link
cd "$T/${kinds##* }"
kind=${kinds##* }
# shellcheck disable=SC2086 # its words
if [ "$kind" = cuda ]; then builds $compiler -x cu main.cpp -L. -lk; else builds hipcc main.cpp -L. -lk; fi
rm app
"$B/bin/ckjit-build" quick --tmp-dir "$T/home.$kind/work" >out 2>&1 || fail "quick: $(cat out)"
is 'linked by quick' 31 "$(./app)"
