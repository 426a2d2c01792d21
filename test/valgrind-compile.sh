#!/bin/sh
# memcheck over ckjit-compile: by hand and into the cache, by flags and by a manifest, an entry that is there, a compiler that fails,
# one that waits for another, and the passes side by side where there is a hipcc.
# tier: all
. "${0%/*}/common.sh"
. "${0%/*}/unit/valgrind_fixture.sh"
. "${0%/*}/unit/runtime_fixture.sh"
many lib 4
root=$T/lib/ck_jit
flags="--log=$T/lib/log --template=$T/lib/template.so --control=$T/lib/control"
cat >"$root/ck_jit_manifest.json" <<JSON
{"ckjit": 1, "libraries": ["libkernels.so"], "root": "/nonexistent", "compiler": "$T/fast",
 "groups": [{"flags": ["--log=$T/lib/log", "--template=$T/lib/template.so"], "link": ["-lm"], "archs": ["gfx942", "gfx950"]}],
 "blobs": {"k3": {"source": "{root}/src/k3.cu", "group": 0, "key": "01030000000000000000000000000000", "functions": ["value_"]}}}
JSON
compile() {
  memcheck "$root/ckjit-compile" "$@" 2>"$T/err"
}
# direct N OPTION…
direct() {
  n=$1
  shift
  compile --blob-source "$root/src/k$n.cu" --blob-flags "$flags" --arch gfx942 "$@"
}
mkdir "$T/o"
direct 0 --output "$T/o/k0.so" --verbose || fail "$(cat "$T/err")"
clean "by hand"
direct 0 --output "$T/cache/k0.so" --cache || fail "$(cat "$T/err")"
clean "into the cache"
direct 0 --output "$T/cache/k0.so" --cache || fail "$(cat "$T/err")"
clean "it is there"
compile --blob k3 --output "$T/cache/k3.so" --cache || fail "$(cat "$T/err")"
clean "by a manifest"
compile --blob k9 --output "$T/cache/k9.so" --cache && fail "an unknown blob"
clean "an unknown blob"
touch "$T/lib/control/k1.fail"
direct 1 --output "$T/cache/k1.so" --cache && fail "it compiles"
clean "failing"

# one waits for the other, and is told of its failure
touch "$T/lib/control/k1.hold"
direct 1 --output "$T/cache/k1.so" --cache &
first=$!
await 'it does not come to the compiler' has_started lib 2 k1
direct 1 --output "$T/cache/k1.so" --cache &
second=$!
await 'the second does not wait' waiting 1 "$T/cache"
rm "$T/lib/control/k1.hold"
wait $first && fail "it compiles"
wait $second && fail "it compiles"
clean "waiting"
is "compiles" 2 "$(started lib k1)"

command -v hipcc >/dev/null || exit 0
cat >"$T/real.cu" <<'END'
#include <hip/hip_runtime.h>
template <int N> int value_(int *p);
static __global__ void kernel(int *p) { p[threadIdx.x] = 7; }
template <> int value_<7>(int *p) {
  kernel<<<1, 64>>>(p);
  return 7;
}
END
for round in 1 2; do # without precompiled headers, and with them
  rm -f "$T/cache/real.so"
  compile --hipcc "$(command -v hipcc)" --blob-source "$T/real.cu" --arch gfx90a --output "$T/cache/real.so" --cache --verbose ||
    exit 0 # a hipcc that cannot
  clean "passes, $round"
done
