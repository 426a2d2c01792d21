#!/bin/sh
# A link prints and writes what the build's own command would: the map, the dependency file and the output
# itself have the name given by -o, and standard output, standard input and the program's status are passed on.
# tier: all
# seconds: 30
. "${0%/*}/common.sh"
. "$here/unit/line_fixture.sh"
need make

# link_as COMMAND...: by the fake home; standard output is in ./out
link_as() {
  in_home "$@" >out || fail "$kind: $*: $(cat err)"
}

# for_the_output LINKER FILE: the dependency file is right, and is believed by make
depfile() {
  grep -q '^app:' app.d || fail "$1: the target is not app: $(head -n 2 app.d)"
  for file_ in main.o "$2"; do
    grep -qE "(^|[ ])$file_( |\$)" app.d || fail "$1: $file_ is not in $(cat app.d)"
  done
  lacks "$1: what ckjit has made" "$T/home.$kind" app.d
  printf 'app:\n\tfalse\ninclude app.d\n' >Makefile
  make -rq app 2>make.err || fail "$1: make would link again"
  touch -d '+2 seconds' "$2"
  ! make -rq app 2>make.err || fail "$1: make would not link again after a change of $2"
  touch -d '-1 hour' "$2"
}

for k in $kinds; do
  kind "$k"
  case $k in
  hip) driver=hipcc ;;
  cuda) driver=c++ cudart="-L$cuda/lib64 -lcudart" ;;
  esac
  # each linker once: a CUDA library's link starts fewer programs
  linkers='bfd gold lld mold'
  [ "$k" = cuda ] || linkers=lld
  # shellcheck disable=SC2086 # words
  for ld in $linkers; do
    command -v "ld.$ld" >/dev/null || continue
    touch -d '-1 hour' k1.o libk.a main.o
    set -- -fuse-ld=$ld -o app main.o
    for option in -Wl,--dependency-file=app.d '-Xlinker --dependency-file=app.d'; do
      "ld.$ld" --help | grep -q -e --dependency-file || break
      rm -f app.d
      link_as $driver "$@" $option k1.o ${cudart-}
      depfile "$ld, an object" k1.o
      rm -f app.d
      link_as $driver "$@" $option -L. -lk ${cudart-}
      depfile "$ld, an archive" ./libk.a
    done
  done
  # shellcheck disable=SC2086 # words
  {
    link_as $driver -Wl,--print-map -Wl,-Map=app.map -fuse-ld=bfd -o app main.o k1.o ${cudart-}
    grep -q '^OUTPUT(app ' app.map || fail "the map is of $(grep '^OUTPUT' app.map)"
    link_as $driver -Wl,--print-map -fuse-ld=bfd -o app main.o k1.o ${cudart-}
    grep -q '^OUTPUT(app ' out || fail "$k: the map is not on standard output: $(head -n 3 out)"
    lacks "$k: the map is on standard error" OUTPUT err
    link_as $driver -Wl,-t -fuse-ld=bfd -o app main.o k1.o ${cudart-}
    grep -q 'main\.o$' out || fail "$k: -t does not print on standard output"
    link_as c++ -Wl,--version -fuse-ld=bfd k1.o main.o -o version
    grep -q 'GNU ld' out || fail "$k: --version prints $(cat out err)"
    # a source from standard input
    rm -f app
    in_home c++ -x c++ - -x none k1.o -o app ${cudart-} <main.cpp || fail "$k: a source from standard input: $(cat err)"
    is "$k: of standard input" 31 "$(./app)"
    # a link that fails prints as it would, and leaves what it would
    echo 'int other(); int x = other();' >other.cpp
    c++ -c other.cpp
    if in_home c++ other.o main.o k1.o -o app >out ${cudart-}; then fail "$k: linked"; fi
    has "$k: an error" 'undefined reference to `other()' err
    # names as long as a file's may be
    for n in 246 255; do
      name=$(printf "%0${n}d" 0)
      link_as $driver main.o k1.o -o "$name" ${cudart-}
      is "$k: a name of $n bytes" 31 "$("./$name")"
    done
    mkdir other
    link_as $driver main.o k1.o -o "other/$name" ${cudart-}
    is "$k: another of $n bytes" 31 "$("other/$name")"
    [ -z "$(find . -name '*ckjit-tmp*')" ] || fail "left: $(find . -name '*ckjit-tmp*')"
  }
  [ "$k" = cuda ] || { cd "$T" && continue; }
  # nvcc runs the program
  printf '#include "k.h"\n#include <cstdio>\nint main(int n, char **v) { char text[9] = ""; std::fgets(text, 9, stdin); printf("%%d %%s %%s", run<1>(3), n > 2 ? v[2] : "", text); return 7; }\n' >run.cpp
  c++ -c run.cpp
  status=0
  # shellcheck disable=SC2086 # words
  echo input | in_home $compiler -run -o app run.o k1.o --run-args one,two >out || status=$?
  is 'the program of -run' '31 two input' "$(cat out)"
  is 'its status' 7 $status
  lacks 'no line but of ckjit on standard error' ^ckjit err -v
  mv out before
  "$B/bin/ckjit-build" relink --tmp-dir "$T/home.cuda/work" >out 2>&1 </dev/null || fail "relink: $(cat out)"
  lacks 'a relink runs no program' '31 two' out
  cd "$T"
done
