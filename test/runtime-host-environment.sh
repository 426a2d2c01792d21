#!/bin/sh
# The host runs under LD_PRELOAD, LD_AUDIT or a sanitizer's variables: ckjit-compile gets none of them, its compiler nothing but what
# it needs and CK_JIT_COMPILE_ENV names; the host keeps all.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
many lib 4
echo 'int puts(const char *);__attribute__((constructor)) static void f(void) { puts("preloaded"); }' >"$T/p.c"
gcc -shared -fPIC -o "$T/p.so" "$T/p.c"
echo 'unsigned la_version(unsigned version) { return version; }' >"$T/audit.c"
gcc -shared -fPIC -o "$T/audit.so" "$T/audit.c"
cat >"$T/spy" <<'SPY'
#!/bin/sh
env >"${0%spy}environment"
exec "${0%spy}fast" "$@"
SPY
chmod +x "$T/spy"
spy "$T/lib/ck_jit/ckjit-compile"
# what runtime_hostile compares around a call includes the environment
CK_JIT_HIPCC=$T/spy LD_PRELOAD=$T/p.so LD_AUDIT=$T/audit.so ASAN_OPTIONS=x=y LSAN_OPTIONS=x=y TSAN_OPTIONS=x=y UBSAN_OPTIONS=x=y MSAN_OPTIONS=x=y \
  HWASAN_OPTIONS=x=y ASAN_SYMBOLIZER=this LD_LIBRARY_PATH=$T/that KEEP='a b
c' OTHER=x CK_JIT_COMPILE_ENV=KEEP:ABSENT hostile lib value 0 3 >"$T/out"
is "with LD_PRELOAD" "preloaded 3" "$(tr '\n' ' ' <"$T/out" | sed 's/ $//')"
lacks "the compiler inherited these" '^(LD_PRELOAD|LD_AUDIT|[A-Z]*SAN_OPTIONS|ASAN_SYMBOLIZER|CK_JIT_.*|OTHER)=' "$T/environment" -E
for kept in KEEP='a b' LD_LIBRARY_PATH="$T/that"; do
  has "environment" "$kept" "$T/environment"
done
lacks "ckjit-compile inherited these" '^(LD_PRELOAD|LD_AUDIT|[A-Z]*SAN_OPTIONS)=' "$T/lib/ck_jit/notes" -E

# no environment at all, but for the cache
is "empty" 1003 "$(env -i CK_JIT_CACHE_DIR="$T/cache" CK_JIT_HIPCC="$T/fast" "$T/hostile" "$T/lib/libkernels.so" value 1 3)"
