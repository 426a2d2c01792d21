#!/bin/sh
# memcheck over the wrapper: a blob with a depfile, a host source, a probe, a link of stubs and one without. It is linked statically
# as a rule; here its objects are linked dynamically. No memory is used wrongly, and the program that it becomes finds no descriptor
# open that the wrapper had not found open.
# tier: all
. "${0%/*}/common.sh"
. "${0%/*}/unit/valgrind_fixture.sh"
need cc
fake_home "$T/h"
cc -o "$T/wrap" "$B"/obj/wrapper/*.o "$B/obj/core.a" -lm >"$T/log" 2>&1 || fail "no dynamic wrapper: $(tail -n 1 "$T/log")"
cp "$T/wrap" "$T/h/bin/hipcc"
for real in "$T/h/real/bin/hipcc" "$T/h/link"; do
  printf '#!/bin/sh\nls /proc/self/fd >"%s/descriptors"\n' "$T" >"$real"
done
cd "$T"
blob a.cu
printf '#define X\nint f() { return 1; }\n' >b.cpp
echo >kernel.hpp
# Memory that it still has when it becomes another program, or has written a record and ends, is left to the kernel: it starts
# thousands of times in a build.
# runs WHAT WORDS…: and becomes a real program
runs() {
  what=$1
  shift
  rm -f descriptors
  valgrind -q --leak-check=no --log-file="$T/valgrind.%p" "$T/h/bin/hipcc" "$@" || fail "$what"
  clean "$what"
  [ "$what" = blob ] || is_inherited "$what"
}
# is_inherited WHAT: as many descriptors as ls has when started by a shell, and valgrind's log
is_inherited() {
  /bin/sh -c "ls /proc/self/fd >'$T/own'"
  [ "$(wc -l <descriptors)" -le $(($(wc -l <own) + 1)) ] || fail "$1: descriptors $(tr '\n' ' ' <descriptors)"
}
runs blob -c a.cu -o a.o -MD -MF a.d -I. -DX=1
[ -s a.d ] && [ "$(kinds h)" = blob ] || fail "no record, or no depfile: $(kinds h)"
runs host -c b.cpp -o b.o
runs probe --version
runs link a.o -shared -o a.so
echo 'int f();' >c.cpp
runs link c.cpp -o c.so -shared
is_kinds=$(kinds h | sort -u | tr '\n' ' ')
[ "$is_kinds" = 'blob host link other ' ] || fail "kinds: $is_kinds"
