#!/bin/sh
# A header may change between any two of ckjit-compile's own looks at it: whichever it is, the next compile has the new text, and no precompiled
# header of the old one. (One was kept with the hash of the new: the header was compared, and read once more for its hash.)
# tier: all
# seconds: 16
. "${0%/*}/common.sh"
. "$here/unit/compile_fixture.sh"
[ -z "${SANITIZER-}" ] || skip "LD_PRELOAD before a sanitizer"
need gcc
# Before ckjit-compile opens value.h for the time that $T/when says, of all its processes together, it is another file.
cat >"$T/edit.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
typedef int open_(const char *, int, ...);
static long number(const char *file) {
  FILE *f = fopen(file, "r");
  long n = 0;
  if (!f || fscanf(f, "%ld", &n) != 1)
    abort();
  fclose(f);
  return n;
}
static void look(const char *path, open_ *real) {
  const char *end = strrchr(path, '/');
  if (strcmp(program_invocation_short_name, "ckjit-compile") || !end || strcmp(end, "/value.h"))
    return;
  struct stat st;
  int fd = real("opened", O_WRONLY | O_APPEND | O_CREAT, 0600);
  if (fd < 0 || write(fd, "x", 1) != 1 || fstat(fd, &st) || close(fd))
    abort();
  if (st.st_size == number("when") && rename("new.h", "include/value.h"))
    abort();
}
int open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  int mode = va_arg(list, int);
  va_end(list);
  open_ *real = (open_ *)dlsym(RTLD_NEXT, "open");
  int e = errno;
  look(path, real);
  errno = e;
  return real(path, flags, mode);
}
END
gcc -shared -fPIC "$T/edit.c" -o "$T/edit.so" -ldl
cd "$T"
source_file "$T/a.cu" 1
# edited AT: a compile in which that edit came, into an empty cache; false if there are not so many looks
edited() {
  rm -rf c opened
  mkdir -m 700 c
  echo 'enum { VALUE = 1000 };' >include/value.h # of a macro clang reads the text again
  echo 'enum { VALUE = 2000 };' >new.h
  echo "$1" >when
  LD_PRELOAD=$T/edit.so compile a || fail "$(cat a.said)"
  [ ! -e new.h ]
}
edited 0 && fail 'it was edited for no look'
looks=$(wc -c <opened)
[ "$looks" -ge 4 ] || fail "ckjit-compile opens the header $looks times: is it by open()? $(cat a.said)"
said a 'precompiled headers: 2 made'
at=1
while [ $at -le "$looks" ] && edited $at; do
  compile a || fail "$(cat a.said)"
  answer a 2001
  at=$((at + 1))
done
[ $at -gt 3 ] || fail "only $((at - 1)) edits came"
echo "$((at - 1)) edits of $looks looks"
