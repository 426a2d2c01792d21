#!/bin/sh
# quick: the runtime anew, also in a work directory that was moved, into an install tree of libraries and programs alone.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
installation
rocm "$T/rocm"
aiter "$T/aiter"
version() { # version LIBRARY: what the runtime in it is
  python3 -c 'import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).ckjit_test_version())' "$1"
}
ckjit-build full --aiter-dir "$T/aiter" --gpu-archs gfx942 --tmp-dir "$T/w" --install-dir "$T/i" >"$T/out" 2>&1 ||
  fail "full: $(cat "$T/out")"
[ "$(version "$T/i/libmha_fwd.so")" = 1 ] || fail 'no runtime at first'
mv "$T/w" "$T/w2"
echo 'int ckjit_test_version(void) { return 2; }' >"$T/ckjit/share/ckjit/runtime/ck_jit_runtime.c"
files "$T/i/ck_jit/aiter" >"$T/before"
ckjit-build quick --tmp-dir "$T/w2" --install-dir "$T/i" >"$T/out" 2>&1 || fail "quick: $(cat "$T/out")"
[ "$(version "$T/i/libmha_fwd.so")$(version "$T/i/libmha_bwd.so")" = 22 ] || fail 'not the new runtime'
files "$T/i/ck_jit/aiter" | cmp -s - "$T/before" || fail 'the sources were installed again'
# A tree of its own where there is none, and a runtime from elsewhere with headers of the aiter checkout.
printf '#include <args.h>\nint ckjit_test_version(void) { return 2 + LAUNCHED; }\n' >"$T/mine.c"
CK_JIT_RUNTIME_SRC=$T/mine.c ckjit-build quick --tmp-dir "$T/w2" --aiter-dir "$T/aiter" --install-dir "$T/new" \
  --verbose >"$T/out" 2>&1 || fail "quick: $(cat "$T/out")"
grep -q -- "-I$T/aiter/csrc/include" "$T/out" || fail "no command with --verbose: $(cat "$T/out")"
[ "$(version "$T/new/libmha_bwd.so")" = 3 ] && [ -e "$T/new/ck_jit/csrc/include/args.h" ] || fail "$(find "$T/new")"
[ -z "$(find "$T/w2" "$T/new" "$T/i" -name '*quick*' ! -name '*quick_rebuild*' -o -name '.ckjit-tmp*')" ] || fail 'temporary files are left'

# What one that was killed has left is removed by the next.
printf '#!/bin/sh\n"$@" && kill -9 $PPID\n' >"$T/killer" && chmod +x "$T/killer"
status=0
CK_JIT_COMPILER_LAUNCHER=$T/killer ckjit-build quick --tmp-dir "$T/w2" >"$T/out" 2>&1 || status=$?
[ $status = 137 ] || fail "not killed, but status $status: $(cat "$T/out")"
left() { find "$T/w2" '(' -name '*quick*' -o -name '.ckjit-tmp*' ')' ! -name '*quick_rebuild*'; }
[ "$(left)" ] || fail 'it was killed before it made anything'
ckjit-build quick --tmp-dir "$T/w2" >"$T/out" 2>&1 || fail "quick: $(cat "$T/out")"
[ -z "$(left)" ] || fail "left by one that was killed: $(left)"
