# mini_fixture.sh - builds of examples/mini-aiter, the small variants, by the real hipcc: source it behind common.sh.
#
# What several tests use is made once, and again when the example, the compiler or the programs change.
# shellcheck shell=sh disable=SC2034,SC2154
need hipcc ninja python3 readelf nm
unset ROCM_PATH ROCM_HOME HIP_PATH CXX CK_DIR MAX_JOBS AITER_JIT_DIR JIT_WORKSPACE_DIR MINI_AITER_DEVICE MINI_AITER_ARCH
export MINI_AITER_SMALL=1 PYTHONDONTWRITEBYTECODE=1 CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT=3 GPU_ARCHS=gfx90a
export CK_JIT_CACHE_DIR="$T/cache" CK_JIT_KFD_ROOT="$T/no-gpus"
example=$(cd "${here:?}/../examples/mini-aiter" && pwd)
need_hipcc

# The compiler that kernels are compiled with: hipcc, counted; but not what it is only asked.
printf '#!/bin/sh\ncase "$*" in *-###*) ;; *) echo "$*" >>"%s" ;; esac\nexec "%s" "$@"\n' "$T/compiled" "$(command -v hipcc)" >"$T/counting-hipcc"
chmod +x "$T/counting-hipcc"
: >"$T/compiled"

# compiled: how many compiles there were since the last time
compiled() {
  wc -l <"$T/compiled"
  : >"$T/compiled"
}

build_stock() {
  cp -r "$example" "$2/aiter" &&
    (cd "$2/aiter" && JIT_WORKSPACE_DIR=$2/work python3 op_tests/cpp/mha/compile.py --api "$1") &&
    mv "$2/aiter/op_tests/cpp/mha/libmha_$1.so" "$2/" && rm -rf "$2/aiter" "$2/work"
}

build_full() {
  "$B/bin/ckjit-build" full --aiter-dir "$example" --gpu-archs gfx90a --api "$1" --tmp-dir "$2/w" --install-dir "$2/i"
}

# digests DIR...: of what a library is made from, the compiler's version first
digests() {
  echo "$hipcc_version"
  find "$@" -type f ! -name '*.pyc' -exec sha256sum {} + | sort
}

# stock API: directory with the library of API as hipcc alone builds it, in $stock
stock() {
  digests "$example" >"$T/key"
  once "mini-stock-$1" build_stock "$1" <"$T/key"
  stock=$made
}

# full API: --tmp-dir $full/w and --install-dir $full/i of a full build. Not to be written to: others use them.
full() {
  digests "$example" "$B/bin" "$B/libexec" "$B/share/ckjit" >"$T/key"
  once "mini-full-$1" build_full "$1" <"$T/key"
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
  # the one function that `full` adds, as CK JIT does
  sed -i '/^ck_jit_set_cache_dir$/d' "$T/exported.ours" "$T/strong.ours"
  none_new 'needs what the stock library does not' "$T/needed.stock" "$T/needed.ours"
  none_new 'exports what the stock library does not' "$T/exported.stock" "$T/exported.ours"
  none_new 'does not export what the stock library does' "$T/exported.ours" "$T/strong.stock"

  rm -rf "$T/w" "$T/aiter"
  mv "$T/i" "$T/moved here"
  export CK_JIT_HIPCC="$T/counting-hipcc"
  check "$T/moved here" --reference "$stock"
  [ "$(find "$CK_JIT_CACHE_DIR" -maxdepth 1 -name '*.so' | wc -l)" = "$blobs" ] || fail "not $blobs: $(ls "$CK_JIT_CACHE_DIR")"
  [ "$(compiled)" = "$blobs" ] || fail "not one compile for each of $blobs blobs"
  CK_JIT_HIPCC=/nonexistent check "$T/moved here" --reference "$stock"
}
