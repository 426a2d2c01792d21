# aarch64_home_fixture.sh - a fake ROCm home for hosts of AArch64, whose hipcc is clang for that machine: source it behind common.sh.
#
#   $T/home         the home; the test goes on in $T
#   as_build …      a command as the user's build would run it; what it says on standard error is in $T/err
# shellcheck shell=sh disable=SC2154
need clang++ aarch64-linux-gnu-g++
cd "$T" || exit
mkdir -p rocm/bin
cat >rocm/bin/hipcc <<'END'
#!/bin/sh
for a; do
  shift
  case $a in --offload-*) continue ;; hip) a=c++ ;; esac
  set -- "$@" "$a"
done
exec clang++ --target=aarch64-linux-gnu "$@"
END
chmod +x rocm/bin/hipcc
export CK_JIT_CACHE_DIR="$T/cache" CK_JIT_KFD_ROOT="$T/no-gpus" CK_JIT_ARCH=gfx90a
unset CK_JIT_HIPCC ROCM_PATH CXX
CXX=aarch64-linux-gnu-g++ "$B/bin/ckjit-build" home --rocm "$T/rocm" --dir "$T/home" >exports 2>home.log || fail "no fake home: $(cat home.log)"
as_build() (
  # shellcheck disable=SC1091
  . "$T/exports"
  "$@" 2>"$T/err"
)
