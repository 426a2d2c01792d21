# mini_fixture.sh - builds of examples/mini-aiter, the small variants, by the real hipcc: source it behind common.sh.
#
# What several tests use is made once, in $B/test/mini, and again when the example, the compiler or the programs change.
# shellcheck shell=sh disable=SC2034
need hipcc ninja python3 readelf nm flock
unset ROCM_PATH ROCM_HOME HIP_PATH CXX CK_DIR MAX_JOBS AITER_JIT_DIR JIT_WORKSPACE_DIR MINI_AITER_DEVICE MINI_AITER_ARCH
export MINI_AITER_SMALL=1 PYTHONDONTWRITEBYTECODE=1 CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT=3 GPU_ARCHS=gfx90a
export CK_JIT_CACHE_DIR="$T/cache" CK_JIT_KFD_ROOT="$T/no-gpus"
example=$(cd "${here:?}/../examples/mini-aiter" && pwd)
echo '__global__ void f() {}' >"$T/probe.cu"
hipcc -x hip --offload-arch=gfx90a -include hip/hip_runtime.h -c "$T/probe.cu" -o "$T/probe.o" >"$T/probe.log" 2>&1 ||
  skip "hipcc compiles nothing for gfx90a here: $(tail -n 1 "$T/probe.log")"

# The compiler that kernels are compiled with: hipcc, counted.
printf '#!/bin/sh\necho "$*" >>"%s"\nexec "%s" "$@"\n' "$T/compiled" "$(command -v hipcc)" >"$T/counting-hipcc"
chmod +x "$T/counting-hipcc"
: >"$T/compiled"

# compiled: how many compiles there were since the last time
compiled() {
  wc -l <"$T/compiled"
  : >"$T/compiled"
}

# once NAME COMMAND...: the directory $B/test/mini/NAME, made by COMMAND in it, and kept for what it was made from
once() {
  made=$B/test/mini/$1 command_=$2
  shift 2
  mkdir -p "$B/test/mini"
  exec 9>"$made.lock"
  flock 9
  key=$({
    hipcc --version
    find "$example" "$B/bin" "$B/libexec" "$B/share/ckjit" -type f ! -name '*.pyc' -exec sha256sum {} +
  } | if [ "$command_" = build_stock ]; then grep -v "  $B/"; else cat; fi | sort | sha256sum)
  if [ "$(cat "$made/key" 2>/dev/null)" != "$key" ]; then
    rm -rf "$made"
    mkdir -p "$made"
    "$command_" "$made" "$@" >"$made.log" 2>&1 || fail "$(tail -n 20 "$made.log")"
    echo "$key" >"$made/key"
  fi
  exec 9>&-
}

build_stock() {
  cp -r "$example" "$1/aiter" &&
    (cd "$1/aiter" && JIT_WORKSPACE_DIR=$1/work python3 op_tests/cpp/mha/compile.py --api "$2") &&
    mv "$1/aiter/op_tests/cpp/mha/libmha_$2.so" "$1/" && rm -rf "$1/aiter" "$1/work"
}

build_full() {
  "$B/bin/ckjit-build" full --aiter-dir "$example" --gpu-archs gfx90a --api "$2" --tmp-dir "$1/w" --install-dir "$1/i"
}

# stock API: directory with the library of API as hipcc alone builds it, in $stock
stock() {
  once "stock-$1" build_stock "$1"
  stock=$made
}

# full API: --tmp-dir $full/w and --install-dir $full/i of a full build. Not to be written to: others use them.
full() {
  once "full-$1" build_full "$1"
  full=$made
}

# check DIR ARGUMENT...: check.py on the libraries in DIR
check() {
  python3 "$example/check.py" "$@" >"$T/check.out" 2>&1 || fail "check.py $*: $(cat "$T/check.out")"
}

# needed, exported LIBRARY; strong: exported, and not only as a copy of an inline function or template
needed() {
  readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u
}
exported() {
  nm -D --defined-only "$1" | awk '{print $3}' | sort -u
}
strong() {
  nm -D --defined-only "$1" | awk '$2 !~ /[VWu]/ {print $3}' | sort -u
}

# none_new WHAT LIST LIST: the second list holds nothing that the first does not
none_new() {
  [ -s "$2" ] && [ -s "$3" ] || fail "$1: nothing in the list"
  [ -z "$(comm -13 "$2" "$3")" ] || fail "$1: $(comm -13 "$2" "$3")"
}

# road API: the whole road of one library. It is built from a checkout that is then deleted with the work directory, moved,
# and gives the numbers of the stock build bit for bit; each kernel is compiled once, and none in the next process.
road() {
  api=$1
  so=libmha_$api.so
  cp -r "$example" "$T/aiter"
  (cd "$T/aiter" && find . -printf '%p %s %T@ %l\n' | sort) >"$T/before"
  "$B/bin/ckjit-build" full --aiter-dir "$T/aiter" --gpu-archs gfx90a --api "$api" --tmp-dir "$T/w" --install-dir "$T/i" \
    >"$T/out" 2>&1 || fail "full: $(cat "$T/out")"
  (cd "$T/aiter" && find . -printf '%p %s %T@ %l\n' | sort) | cmp -s "$T/before" - || fail 'the checkout was changed'

  blobs=$(grep -c '"kind":"blob"' "$T/w/manifest.json.ndjson")
  grep -q "^ckjit-link: $so: $blobs blobs are lazy .* 0 compiled ahead of time" "$T/w/log_$api.txt" ||
    fail "of $blobs blobs: $(grep ^ckjit-link "$T/w/log_$api.txt")"
  [ "$("$T/i/ck_jit/ckjit-prebuild" list | wc -l)" = "$blobs" ] || fail "not $blobs blobs in the manifest"

  stock "$api"
  for of in needed exported strong; do
    $of "$stock/$so" >"$T/$of.stock"
    $of "$T/i/$so" >"$T/$of.ours"
  done
  none_new 'needs what the stock library does not' "$T/needed.stock" "$T/needed.ours"
  none_new 'exports what the stock library does not' "$T/exported.stock" "$T/exported.ours"
  none_new 'does not export what the stock library does' "$T/exported.ours" "$T/strong.stock"

  rm -rf "$T/w" "$T/aiter"
  mv "$T/i" "$T/moved here"
  export CK_JIT_HIPCC="$T/counting-hipcc"
  check "$T/moved here" --reference "$stock"
  [ "$(find "$CK_JIT_CACHE_DIR" -name '*.so' | wc -l)" = "$blobs" ] || fail "not $blobs: $(ls "$CK_JIT_CACHE_DIR")"
  [ "$(compiled)" = "$blobs" ] || fail "not one compile for each of $blobs blobs"
  CK_JIT_HIPCC=/nonexistent check "$T/moved here" --reference "$stock"
}
