#!/bin/sh
# The host ignores SIGCHLD and reaps every child, blocks all signals, closed its standard streams, changes its directory, runs
# under LD_PRELOAD or a sanitizer's variables, forks: a first call works in all of them.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unit/runtime_fixture.sh"
library lib
driver=$T/lib/driver

is "SIGCHLD" 1003 "$("$driver" sigchld 0 3)"
is "closed streams" 1103 "$("$driver" closed 1 3)"
is "fork" "1203" "$(SHIM_SLEEP=1 "$driver" fork 2 3)"
is "compiles" 3 "$(compiles)"

mkdir "$T/gone"
rm -rf "$T/cache"
is "directory removed" 1003 "$(cd "$T/gone" && rmdir "$T/gone" && "$driver" value 0 3)"

rm -rf "$T/cache"
echo 'int puts(const char *);__attribute__((constructor)) static void f(void) { puts("preloaded"); }' >"$T/p.c"
gcc -shared -fPIC -o "$T/p.so" "$T/p.c"
cat >"$T/spy" <<'SPY'
#!/bin/sh
env >"$SHIM_CALLS.env"
exec "${0%spy}shim" "$@"
SPY
chmod +x "$T/spy"
CK_JIT_HIPCC=$T/spy LD_PRELOAD=$T/p.so ASAN_OPTIONS=x=y KEEP=this "$driver" value 0 3 >"$T/out"
is "with LD_PRELOAD" "preloaded 1003" "$(tr '\n' ' ' <"$T/out" | sed 's/ $//')"
grep -E '^(LD_PRELOAD|ASAN_OPTIONS)=' "$SHIM_CALLS.env" && fail "the compiler inherited these"
has "environment" "KEEP=this" "$SHIM_CALLS.env"
