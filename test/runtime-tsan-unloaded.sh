#!/bin/sh
# A library that is unloaded has written what it counted and captured, and leaves nothing behind that runs at exit: also under ThreadSanitizer, which
# runs what atexit was given when the library is gone.
# tier: all
# seconds: 15
. "${0%/*}/common.sh"
. "$here/unit/runtime_fixture.sh"
echo 'int main(void) { return 0; }' >"$T/t.c"
gcc -fsanitize=thread "$T/t.c" -o "$T/t" 2>/dev/null && "$T/t" || skip "no ThreadSanitizer here"
LIB_CFLAGS="-fsanitize=thread" many lib 2
cat >"$T/host.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int times = atoi(argv[2]);
  for (int i = 0; i < times; i++) {
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    int (*f)(int) = library ? (int (*)(int))dlsym(library, "_Z6value_ILi1EEii") : NULL;
    if (!f || f(i) != 1000 + i || (argc > 3 && dlclose(library)))
      return printf("%s\n", dlerror()), 1;
  }
  puts("done");
}
END
gcc -O1 -g -fsanitize=thread "$T/host.c" -o "$T/host" -ldl
export TSAN_OPTIONS="halt_on_error=1 exitcode=66" CK_JIT_CAPTURE="$T/captured"
for how in '1 unload' '3 unload' 1; do
  rm -rf "$T/captured" "$T/cache"
  # shellcheck disable=SC2086
  "$T/host" "$T/lib/libkernels.so" $how >"$T/out" 2>&1 || fail "$how: $(cat "$T/out")"
  is "$how" "done" "$(cat "$T/out")"
  is "calls captured, $how" "${how%% *}" "$(sed -n 's/	.*	k1$//p' "$T/captured")"
done
exit 0
