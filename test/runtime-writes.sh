#!/bin/sh
# One file of what runs in a job writes to descriptors and opens files: no other part of runtime/, abi/ and api/ calls write and
# its like or open, and the runtime's object needs no function of libc that prints.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
# ckjit's own programs, which are compiled from there: the program that loads nvJitLink
own=ck_jit_cuda_link.c
calls='(p?writev?2?|pwrite64|send(to|msg|file)?|dprintf|vdprintf|v?fprintf|printf|puts|fputs|fputc|putc|putchar|fwrite|perror|psignal|syslog|splice|tee|open(at)?|open64|creat|fopen|fdopen|freopen|error|warn|warnx|err|errx)'
# but for: a new file without a name, a directory, the walk of ck_jit_trust.h by O_PATH; of the API text in memory and a list that its caller names
allowed='O_TMPFILE|O_PATH|fprintf\(list->unknown|fopen\(file, "re"\)'
for file in "$top"/runtime/*.[ch] "$top"/abi/*.h "$top"/api/*.[ch]; do
  case ${file##*/} in ck_jit_file.h | "$own") continue ;; esac
  gcc -fpreprocessed -dD -E -P -w "$file" 2>/dev/null |
    grep -nE "(^|[^A-Za-z0-9_.>\"])$calls\\(" | grep -vE "$allowed" | sed "s|^|${file##*/}: |"
done >"$T/found"
is "calls outside of abi/ck_jit_file.h" "" "$(cat "$T/found")"
has "the pattern" 'writev(fd' "$top/abi/ck_jit_file.h"
grep -qE "(^|[^A-Za-z0-9_.>\"])$calls\\(" "$top/abi/ck_jit_file.h" || fail "the pattern finds nothing"

many lib 1
nm -u "$T/lib/runtime.o" | awk '{ print $2 }' >"$T/needs"
has "what it needs" sigtimedwait "$T/needs"
lacks "what prints" "^(v?dprintf|v?fprintf|v?printf|puts|fputs|fwrite|putchar|perror|psignal|v?syslog|stderr|stdout|__.*printf_chk|fopen|fdopen|creat|signal)\$" "$T/needs" -E
