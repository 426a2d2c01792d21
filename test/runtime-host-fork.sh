#!/bin/sh
# fork before the first call, after it, while another thread is in it, and all the time: parent and children are right, none
# waits for a lock that the other has, and nothing is compiled twice.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
many lib 24
sorted() {
  sort -n | tr '\n' ' '
}
echo 300 >"$T/lib/control/k0.sleep"
echo 1000 >"$T/lib/control/k2.sleep"

is "before and after" "1 2 1003 1004 " "$(hostile lib fork 0 | sorted)"
is "compiles, before and after" 2 "$(started lib)"
is "while a thread compiles" "2000 2001 2003 2005 2007 3002 3004 3006 3008 " "$(hostile lib forking 2 | sorted)"
is "compiles, while a thread compiles" 4 "$(started lib)"

# qemu-user forgets in a child which threads it has (docs/aarch64.md)
[ -z "$cross" ] || exit 0

# children of a host whose threads are everywhere in their first calls
: >"$T/lib/log"
for round in 1 2 3; do
  rm -rf "$T/cache"
  is "all the time, $round" $((8 * 276000)) "$(hostile lib storm 24 2>>"$T/forks")"
done
is "compiles, all the time" 72 "$(started lib)"

# The same with a lock that is held for longer: a child that is forked meanwhile has it, and nobody to release it.
if [ -z "${SANITIZER-}" ]; then
  cat >"$T/slow.c" <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>
int pthread_mutex_lock(pthread_mutex_t *m) {
  static int (*real)(pthread_mutex_t *);
  if (!real) real = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock");
  int r = real(m);
  usleep(300);
  return r;
}
END
  cc -D_GNU_SOURCE -shared -fPIC -o "$T/slow.so" "$T/slow.c" -ldl
  rm -rf "$T/cache"
  is "all the time, with slow locks" $((8 * 276000)) "$(LD_PRELOAD=$T/slow.so hostile lib storm 24 2>>"$T/forks")"
fi
