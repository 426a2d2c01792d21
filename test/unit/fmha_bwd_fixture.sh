# fmha_bwd_fixture.sh - examples/fmha-bwd built through a fake home by the real hipcc: source it behind common.sh.
#
# All of its 109 sources, once, and again when the example, the compiler or the programs change. Tests
# that do not count compiles share a cache there.
# shellcheck shell=sh disable=SC2034,SC2154
need make python3
unset ROCM_PATH ROCM_HOME HIP_PATH CXX FMHA_BWD_ARCH FMHA_BWD_NUM_CUS CK_JIT_ARCH CK_JIT_VERBOSE MAKEFLAGS MFLAGS MAKELEVEL
export PYTHONDONTWRITEBYTECODE=1 CK_JIT_KFD_ROOT="$T/no-gpus" CK_JIT_CACHE_DIR="$T/cache"
example=$(cd "${here:?}/../examples/fmha-bwd" && pwd)
need_hipcc

# build DIR [VARIABLE=VALUE...]: the example with the hipcc of the PATH, -O1
build() {
  at_=$1
  shift
  make -C "$example" B="$at_" CXXFLAGS=-O1 "$@"
}

# lazily DIR [VARIABLE=VALUE...]: the same through a fake home, $DIR/home with work directory $DIR/work
lazily() (
  dir_=$1
  shift
  eval "$("$B/bin/ckjit-build" home --dir "$dir_/home" --work "$dir_/work")"
  build "$dir_/build" "$@"
)

# lazy: what all tests use, in $lazy; bwd is its program
lazy() {
  {
    echo "$hipcc_version"
    find "$example" "$B/bin" "$B/libexec" "$B/share/ckjit" -type f ! -name '*.pyc' -exec sha256sum {} + | sort
  } >"$T/key"
  once fmha-bwd lazily <"$T/key"
  lazy=$made bwd=$made/build/fmha-bwd
}

# warm: from here on with the cache that the tests share
warm() {
  export CK_JIT_CACHE_DIR="$lazy/cache"
}

# ends STATUS COMMAND...: the command ends so; what it says is in $T/out and $T/err
ends() {
  status_=0 wanted_=$1
  shift
  "$@" >"$T/out" 2>"$T/err" || status_=$?
  [ "$status_" = "$wanted_" ] || fail "'$*' ended with $status_, not $wanted_: $(cat "$T/out" "$T/err")"
}

# says LINE [FILE]: that line is in $T/out
says() {
  grep -qxF -e "$1" "${2-$T/out}" || fail "no line '$1' in: $(cat "${2-$T/out}")"
}
