# valgrind_fixture.sh - memcheck over our programs: source it behind common.sh.
# shellcheck shell=sh
#
#   memcheck COMMAND…   what to put before a program; its findings go to a file for each process
#   clean WHAT          fails where a process that was run under memcheck since the last time used memory that it must not use,
#                       lost memory, or ended with a descriptor open that it had not inherited
#
# Memory that is still reachable at the end does not count: it is a table of the program's that lives as long as it does.
# A test of a program whose commands keep what they read until the process ends sets keeps=yes before it sources this file:
# there lost memory does not count either.
need valgrind
[ -z "${SANITIZER-}" ] || skip "valgrind does not run programs with a sanitizer"
memcheck="valgrind -q --track-fds=yes --log-file=$T/valgrind.%p"
[ "${keeps-}" = yes ] || memcheck="$memcheck --leak-check=full --show-leak-kinds=definite,indirect,possible \
  --errors-for-leak-kinds=definite,indirect,possible"
valgrind -q true >"$T/valgrind.log" 2>&1 || skip "valgrind does not work here: $(head -n 1 "$T/valgrind.log")"
rm -f "$T/valgrind.log"

memcheck() {
  $memcheck "$@"
}

clean() {
  ls "$T"/valgrind.* >/dev/null 2>&1 || fail "$1: memcheck did not run"
  for log_ in "$T"/valgrind.*; do
    # what is left of the list of descriptors are those of the program's own, with where they were opened
    sed -e 's/^==[0-9]*== //' -e '/^FILE DESCRIPTORS: /d' "$log_" |
      sed -e '/^Open file descriptor/{' -e N -e '/<inherited from parent>/d' -e '}' -e '/^==[0-9]*== *$/d' -e '/^ *$/d' >"$T/found"
    [ ! -s "$T/found" ] || fail "$1: $(head -n 60 "$T/found")"
    rm "$log_"
  done
}
