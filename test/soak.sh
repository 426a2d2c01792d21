#!/bin/sh
# mini-aiter in 64 processes on one cache, two versions and one that is edited and linked again, while processes, compiles and compilers are
# killed and stopped, some for longer than the lock's patience, and the cache is cleaned and limited: every result is the stock build's to the
# bit, each failure is of a fault that was done to that compile, and nothing is left.
# RIGHT=2000 SMALL=0: until so many calls were right, with every variant; by itself 40 with twenty of them. MINUTES=30: for so long at least.
# tier: long
# seconds: 200
. "${0%/*}/common.sh"
. "$here/unit/mini_fixture.sh"
SMALL=${SMALL-1}
[ "$SMALL" = 0 ] || export MINI_AITER_SMALL=1
apis="fwd bwd"
[ "$SMALL" = 0 ] || apis=fwd
set --
for api in $apis; do set -- "$@" --api "$api"; done

# version N: a checkout of version N of the kernels
version() {
  cp -r "$example" "$T/aiter-$1"
  [ "$1" = 1 ] || sed -i 's/sum \*= p\.scale;/sum *= p.scale * 1.000001f;/' \
    "$T/aiter-$1/3rdparty/composable_kernel/include/ck_tile/ops/fmha/block/variants.hpp"
}
for v in 1 2; do
  version $v
  mkdir "$T/stock-$v"
  for api in $apis; do
    (cd "$T/aiter-$v" && JIT_WORKSPACE_DIR=$T/work-$v python3 op_tests/cpp/mha/compile.py --api "$api") >"$T/out" 2>&1 || fail "$(tail -n 20 "$T/out")"
    mv "$T/aiter-$v/op_tests/cpp/mha/libmha_$api.so" "$T/stock-$v/"
  done
  rm -rf "$T/aiter-$v" "$T/work-$v"
  version $v
  "$B/bin/ckjit-build" full --aiter-dir "$T/aiter-$v" --gpu-archs gfx90a "$@" --tmp-dir "$T/w-$v" --install-dir "$T/i-$v" >"$T/out" 2>&1 ||
    fail "full: $(tail -n 20 "$T/out")"
done

# one that changes: the build of another tool, through a fake home
version 1
mkdir "$T/changing"
mv "$T/aiter-1" "$T/changing/aiter"
"$B/bin/ckjit-build" home --dir "$T/changing/h" --work "$T/changing/w" >"$T/changing/exports"
cat >"$T/changing/build" <<BUILD
#!/bin/sh -e
. "$T/changing/exports"
cd "$T/changing/jit/build/libmha_fwd/build" && ninja
BUILD
chmod +x "$T/changing/build"
(
  # shellcheck source=/dev/null
  . "$T/changing/exports"
  JIT_WORKSPACE_DIR=$T/changing/jit python3 "$T/changing/aiter/op_tests/cpp/mha/compile.py" --api fwd
) >"$T/out" 2>&1 || fail "compile.py: $(tail -n 20 "$T/out")"
ln -s jit/build/libmha_fwd/build "$T/changing/lib"
header=3rdparty/composable_kernel/include/ck_tile/ops/fmha/block/variants.hpp
grep -rl 'sum \*= p.scale' "$T/changing/jit" >/dev/null && header=$(find "$T/changing/jit" -name variants.hpp) &&
  rm "$header" && ln -s "$T/changing/aiter/3rdparty/composable_kernel/include/ck_tile/ops/fmha/block/variants.hpp" "$header"

# Three compilers at once, whatever calls them: memory is for 64 processes, not for 64 compilers.
cat >"$T/hipcc" <<SHIM
#!/bin/bash
exec 9>>"$T/slot.\$((RANDOM % 3))"
flock 9
exec $(command -v hipcc) "\$@"
SHIM
chmod +x "$T/hipcc"
seed
python3 "$here/soak/soak.py" "$B" "$T" "${RIGHT-40}" "${PROCESSES-64}" "${MINUTES-0}" >"$T/result" 2>&1 || fail "$(cat "$T/result"; tail -n 200 "$T/faults.log")"
cat "$T/result"
