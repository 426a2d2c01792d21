#!/bin/sh
# If ckjit cannot write what it needs, the real compiler does the call: a step of the build may not
# write to the work directory, or the disk is full. A read-only object is replaced for nvcc, and
# refused for clang.
# tier: all
# seconds: 27
. "${0%/*}/common.sh"
. "$here/unit/line_fixture.sh"
need setpriv unshare readelf
[ "$(id -u)" = 0 ] || skip 'needs root, to be another user'

# as_user COMMAND...: by somebody who may write to the build's directory alone; files that root made can be read by all
as_user() {
  setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$T" TMPDIR="$T/tmp" "$@"
}
recorded() {
  readelf -SW "$1" | grep -q '\.ckjit\.record'
}

chmod 755 "$T"
mkdir -m 1777 "$T/tmp"
for k in $kinds; do
  for units in '' --units; do
    rm -rf "${T:?}/$k" "$T/home.$k"
    # shellcheck disable=SC2086 # none, or one
    kind "$k" $units
    chmod 777 .
    case $k in
    hip) set -- "$T/home.hip/bin/hipcc" -x hip --offload-arch=gfx90a && include='#include <hip/hip_runtime.h>' ;;
    cuda) set -- "$T/home.cuda/bin/nvcc" -arch=sm_75 && include= ;;
    esac
    work=$T/home.$k/work
    printf '%s\n__global__ void kernel(int *p) { *p = 1; }\nvoid unit(int *p) { kernel<<<1, 1>>>(p); }\n' "$include" >unit.cu
    before=$(find "$work" | sort)
    for source in k1.cu unit.cu; do
      # the work directory is another user's
      status=0
      as_user "$@" -MD -MF own.d -c "$source" -o own.o 2>err || status=$?
      is "$k $units: $source, in another's work directory: $(cat err)" 0 $status
      ! recorded own.o || fail "$k $units: $source is recorded, and no record is kept"
      [ -s own.d ] || fail "$k $units: no depfile"
      [ $source = unit.cu ] || has "$k $units" "cannot record $T/$k/k1.cu: Permission denied; the compiler compiles it now" err
      is "$k $units: what was written" "$before" "$(find "$work" | sort)"
      # a sandbox: everything but the build's own directory is read-only
      # shellcheck disable=SC2016 # expanded by the inner shell
      unshare -m sh -c 'mount --bind / / && mount --bind "$1" "$1" && mount --bind "$2" "$2" && mount -o remount,bind,ro / && cd "$1" && shift 2 && exec "$@"' \
        sh "$PWD" "$T/tmp" env TMPDIR="$T/tmp" "$@" -c "$source" -o sandbox.o 2>err || fail "$k $units: $source in a sandbox: $(cat err)"
      ! recorded sandbox.o || fail "$k $units: $source is recorded in a sandbox"
      # a full disk
      # shellcheck disable=SC2016
      unshare -m sh -c 'mount -t tmpfs -o size=4k none "$1" && ! head -c 9000 /dev/zero >"$1/full" 2>/dev/null && shift && exec "$@"' \
        sh "$work" "$@" -c "$source" -o full.o 2>err || fail "$k $units: $source and a full disk: $(cat err)"
      ! recorded full.o || fail "$k $units: $source is recorded on a full disk"
    done
    # a read-only object
    chmod -R a+rwX "$work"
    echo old >real.o
    chmod 444 real.o k1.o
    chown 65534 real.o k1.o
    real=0 ours=0
    case $k in
    hip) as_user hipcc -x hip --offload-arch=gfx90a -c k1.cu -o real.o 2>real.err || real=$? ;;
    cuda) as_user "$cuda/bin/nvcc" -arch=sm_75 -c k1.cu -o real.o 2>real.err || real=$? ;;
    esac
    as_user "$@" -c k1.cu -o k1.o 2>err || ours=$?
    is "$k $units: a read-only object, the real compiler's status and ours ($(cat real.err err))" $real $ours
    [ "$k" = hip ] || recorded k1.o || fail 'nvcc replaces a read-only object, and it is not recorded'
    cd "$T"
  done
done
