#!/bin/sh
# A header that changes while a precompiled header is made of it leaves none behind, whatever the clocks say: ours is a minute ahead of the
# file system's, as behind a file server that lags. Before the making, in it, and to the same size with the old time stamp set again;
# also if it is as before when the making is done.
# tier: all
# seconds: 12
. "${0%/*}/common.sh"
. "$here/unit/compile_fixture.sh"
[ -z "${SANITIZER-}" ] || skip "LD_PRELOAD before a sanitizer"
need gcc
cat >"$T/ahead.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
int clock_gettime(clockid_t id, struct timespec *t) {
  int (*real)(clockid_t, struct timespec *) = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  int r = real(id, t);
  if (id == CLOCK_REALTIME)
    t->tv_sec += 60;
  return r;
}
END
gcc -shared -fPIC "$T/ahead.c" -o "$T/ahead.so" -ldl
# The compiler: its device pass is a script, which edits the header behind the one step or the other, or before a step
# and back behind it.
echo >"$T/none.hip"
clang=$(hipcc '-###' -x hip --offload-arch=gfx90a -c "$T/none.hip" -o "$T/none.o" 2>&1 | sed -n 's/^ *"\([^"]*\)" "-cc1".*/\1/p' | head -n 1)
[ -x "$clang" ] || skip "no clang -cc1 in what hipcc says"
mkdir "$T/bin"
cat >"$T/bin/hipcc" <<END
#!/bin/sh
case "\$*" in *'-###'*) "$hipcc" "\$@" 2>&1 | sed 's|^ *"$clang" "-cc1"| "$T/bin/clang" "-cc1"|' >&2 ;; *) exec "$hipcc" "\$@" ;; esac
END
cat >"$T/bin/clang" <<END
#!/bin/sh
# change FROM TO
change() {
  echo "\$*" >>"$T/edited"
  touch -r "$T/include/value.h" "$T/stamp"
  sed -i "s/\$1/\$2/" "$T/include/value.h"
  touch -r "$T/stamp" "$T/include/value.h"
}
step=\$(cat "$T/edit")
case "\$*" in *fcuda-is-device*) ;; *) exec "$clang" "\$@" ;; esac
case "\$*" in *"\${step% *}"*) ;; *) exec "$clang" "\$@" ;; esac
[ "\$step" = "\${step% *}" ] || change 1000 2000
"$clang" "\$@" || exit
if [ "\$step" = "\${step% *}" ]; then change 1000 2000; else change 2000 1000; fi
END
chmod +x "$T/bin/hipcc" "$T/bin/clang"
hipcc=$T/bin/hipcc
source_file "$T/a.cu" 1
for step in -emit-pch '-emit-pch back' -Eonly; do
  rm -rf "$T/c" "$T/edited"
  mkdir -m 700 "$T/c"
  echo 'enum { VALUE = 1000 };' >"$T/include/value.h" # of a macro clang reads the text again
  echo "$step" >"$T/edit"
  LD_PRELOAD=$T/ahead.so compile a || fail "$(cat "$T/a.said")"
  if [ ! -e "$T/edited" ]; then
    [ "$step" = -Eonly ] || fail "it was not edited: $(cat "$T/a.said")"
    continue
  fi
  echo never >"$T/edit"
  compile a || fail "$(cat "$T/a.said")"
  case $step in *back) answer a 1001 ;; *) answer a 2001 ;; esac
done
