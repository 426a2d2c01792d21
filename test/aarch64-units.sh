#!/bin/sh
# The unit programs of test/unit pass on AArch64, too, by qemu-user; without sanitizers, which are not for that. Left out are those that start what this
# machine's cc has made (hostonly, stubs) or copies of themselves (install), and pool, whose child ends by SIGSEGV under qemu-user where SIGTERM should end it.
# tier: long
# seconds: 400
. "${0%/*}/common.sh"
. "$here/unit/aarch64_fixture.sh"
aarch64_make UNIT_CFLAGS='-O2 -g' units
root=/usr/aarch64-linux-gnu/lib
bad=
for program in "$aarch64"/test/unit/*; do
  case ${program##*/} in hostonly | stubs | install | pool | *.d) continue ;; esac
  [ -x "$program" ] && [ ! -d "$program" ] || continue
  (cd "$top" && qemu-aarch64 $root/ld-linux-aarch64.so.1 --library-path $root "$program") >"$T/out" 2>&1 || {
    bad="$bad ${program##*/}"
    { echo "---- ${program##*/}" && tail -n 5 "$T/out"; } >&2
  }
done
is 'units that fail' '' "$bad"
