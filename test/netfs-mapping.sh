#!/bin/sh
# An entry on a network file system is loaded from memory: whatever another machine does to its file, or the server to its pages, a process
# that has loaded it goes on. Loaded from the file, the same process would die by SIGBUS.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/netfs_fixture.sh"
. "$here/unit/runtime_fixture.sh"
library lib
driver=$T/lib/driver
rules=$T/rules
: >"$rules"
client one rules="$rules"
client two

cat >"$T/faults.c" <<'C'
/* Loads PROGRAM's kernel, lets SCRIPT harm its file, drops what the kernel caches of it, and touches all of the mapping again. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int (*value)(int);
  void *lib = dlopen(argv[1], RTLD_NOW);
  *(void **)&value = lib ? dlsym(lib, "_Z6value_ILi0EEii") : NULL;
  if (argc < 3 || !value)
    return fprintf(stderr, "%s\n", dlerror()), 2;
  int before = value(5);
  if (system(argv[2]))
    return 3;
  char line[4096];
  FILE *maps = fopen("/proc/self/maps", "re");
  while (maps && fgets(line, sizeof line, maps)) {
    unsigned long from, to;
    char mode[8];
    if (!strstr(line, "value0") || sscanf(line, "%lx-%lx %7s", &from, &to, mode) != 3 ||
        strncmp(mode, "r-x", 3) != 0) /* no page of it was written to */
      continue;
    madvise((void *)from, to - from, MADV_DONTNEED);
    char *name = strchr(line, '/');
    name[strcspn(name, "\n")] = 0;
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
      posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    for (volatile char *p = (char *)from; p < (char *)to; p += 4096)
      (void)*p;
    puts(strstr(line, "/memfd:") ? "memory" : "file");
  }
  printf("%d %d\n", before, value(5));
  return 0;
}
C
gcc -o "$T/faults" "$T/faults.c" -ldl

# harmed SCRIPT [NAME=VALUE…]: a process loads the entry, SCRIPT runs, and the process goes on
harmed() {
  script=$1
  shift
  : >"$rules"
  rm -rf "$T/server/cache"
  cp -a "$T/whole" "$T/server/cache"
  status=0
  env CK_JIT_CACHE_DIR="$T/one/cache" "$@" "$T/faults" "$T/lib/libkernels.so" "$script" >"$T/out" 2>"$T/err" || status=$?
}

CK_JIT_CACHE_DIR=$T/one/cache "$driver" value 0 5 >"$T/out"
is "compiled" 1005 "$(cat "$T/out")"
cp -a "$T/server/cache" "$T/whole"
removed="rm $T/two/cache/value0.so"
truncated="truncate -s 0 $T/server/cache/value0.so"
stale="echo 'read *value0.so ESTALE' >$rules; sleep 0.01"
broken="echo 'read *value0.so EIO' >$rules; sleep 0.01"
for script in "$removed" "$truncated" "$stale" "$broken"; do
  harmed "$script"
  is "$script: status" 0 "$status"
  is "$script: results" "1005 1005" "$(tail -n 1 "$T/out")"
  has "$script: from memory" memory "$T/out"
  lacks "$script: from the file" file "$T/out"
done
# The tests above can fail.
harmed "$broken" CK_JIT_NETWORK=0
is "loaded from the file, and the server fails" 135 "$status" # SIGBUS
# A local file system is as before, unless it is said to be shared.
cp -a "$T/whole" "$T/cache"
CK_JIT_CACHE_DIR=$T/cache "$T/faults" "$T/lib/libkernels.so" true >"$T/out" || fail "a local one"
has "a local one" file "$T/out"
CK_JIT_NETWORK=1 CK_JIT_CACHE_DIR=$T/cache "$T/faults" "$T/lib/libkernels.so" true >"$T/out" || fail "said to be shared"
has "said to be shared" memory "$T/out"

# A read that fails or is short while the entry is looked up is no crash: the kernel is compiled again.
for error in ESTALE EIO short; do
  : >"$rules"
  rm -rf "$T/server/cache"
  cp -a "$T/whole" "$T/server/cache"
  echo "read *value0.so $error 1" >"$rules"
  is "$error" 1005 "$(CK_JIT_CACHE_DIR=$T/one/cache "$driver" value 0 5 2>"$T/err")" "$(cat "$T/err")"
done
