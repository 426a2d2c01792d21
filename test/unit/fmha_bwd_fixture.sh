# fmha_bwd_fixture.sh - examples/fmha-bwd built through a fake home by the real hipcc: source it behind common.sh.
#
# All of its 109 sources, once, in $B/test/fmha-bwd, and again when the example, the compiler or the programs change. Tests
# that do not count compiles share a cache there.
# shellcheck shell=sh disable=SC2034
need hipcc make python3 flock
unset ROCM_PATH ROCM_HOME HIP_PATH CXX FMHA_BWD_ARCH FMHA_BWD_NUM_CUS CK_JIT_ARCH CK_JIT_VERBOSE MAKEFLAGS MFLAGS MAKELEVEL
export PYTHONDONTWRITEBYTECODE=1 CK_JIT_KFD_ROOT="$T/no-gpus" CK_JIT_CACHE_DIR="$T/cache"
example=$(cd "${here:?}/../examples/fmha-bwd" && pwd)
echo '__global__ void f() {}' >"$T/probe.cu"
hipcc -x hip --offload-arch=gfx90a -include hip/hip_runtime.h -c "$T/probe.cu" -o "$T/probe.o" >"$T/probe.log" 2>&1 ||
  skip "hipcc compiles nothing for gfx90a here: $(tail -n 1 "$T/probe.log")"

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
  lazy=$B/test/fmha-bwd bwd=$B/test/fmha-bwd/build/fmha-bwd
  mkdir -p "$B/test"
  exec 9>"$lazy.lock"
  flock 9
  key=$({
    hipcc --version 2>/dev/null
    find "$example" "$B/bin" "$B/libexec" "$B/share/ckjit" -type f ! -name '*.pyc' -exec sha256sum {} +
  } | sort | sha256sum)
  if [ "$(cat "$lazy/key" 2>/dev/null)" != "$key" ]; then
    rm -rf "$lazy"
    mkdir -p "$lazy"
    lazily "$lazy" >"$lazy.log" 2>&1 || fail "the build: $(tail -n 20 "$lazy.log")"
    echo "$key" >"$lazy/key"
  fi
  exec 9>&-
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
