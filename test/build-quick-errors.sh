#!/bin/sh
# quick: no state file, a damaged one, an object that is gone, a runtime that does not compile. The libraries stay as they are.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
installation
rocm "$T/rocm"
aiter "$T/aiter"
quick() {
  ckjit-build quick --tmp-dir "$T/w" "$@"
}
refused 2 'tmp-dir DIR is missing' ckjit-build quick
refused 1 'w: No such file.*expected the --tmp-dir of a full build' quick
mkdir "$T/w"
refused 1 'no library was built here.*ckjit full' quick
rmdir "$T/w"
ckjit-build full --aiter-dir "$T/aiter" --gpu-archs gfx942 --tmp-dir "$T/w" --api fwd >"$T/out" 2>&1 || fail "$(cat "$T/out")"
so=$T/w/src_fwd/op_tests/cpp/mha/libmha_fwd.so state=$T/w/libmha_fwd/ck_jit_quick_rebuild.json
cp "$so" "$T/so" && cp "$state" "$T/state"
head -c 100 "$T/state" >"$state"
refused 1 'ck_jit_quick_rebuild.json: line 1, column .*ckjit full' quick
sed 's/{objs}/objs/' "$T/state" >"$state"
refused 1 "link: expected the word '{objs}'" quick
sed 's/"all_objs": \[/"all_objs": [1, /' "$T/state" >"$state"
refused 1 'all_objs\[0\]: expected a string, found a number' quick
sed 's/"ckjit": 1/"ckjit": 2/' "$T/state" >"$state"
refused 1 'ckjit: expected format 1' quick
sed 's/"all_objs": \[/"all_objs": ["{jit}\/gone.o", /' "$T/state" >"$state"
refused 1 '/w/gone.o, an object of .*libmha_fwd.so, is gone' quick
cp "$T/state" "$state"
refused 1 'aiter-dir .*no such directory' quick --aiter-dir "$T/nowhere"
refused 1 'cannot read the runtime.s source.*CK_JIT_RUNTIME_SRC' env CK_JIT_RUNTIME_SRC="$T/nowhere.c" ckjit-build quick --tmp-dir "$T/w"
echo 'int x = "' >"$T/bad.c"
refused 1 'the compile of the runtime ended with status 1: cc ' env CK_JIT_RUNTIME_SRC="$T/bad.c" ckjit-build quick --tmp-dir "$T/w"
cmp -s "$so" "$T/so" || fail 'the library was touched'
