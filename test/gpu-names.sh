#!/bin/bash
# On a real GPU, a lazy unit launches its kernels as the regular compiler's library does: names and
# arguments of all forms, for one architecture and for several; of CUDA, whose host side is made without
# the front end of the device, with the front end at the build and at the launch, with both runtimes.
# The same of kernels whose names are not certain, for which nvcc's front end is asked. A launch whose
# compiler failed is tried again by the next.
# tier: long
. "${0%/*}/common.sh"
. "$here/gpu/fixture.sh"
sources names.cu
# build DIRECTORY OPTION…
build() {
  mkdir "$1" && gpucc -c names.cu -o "$1/names.o" "${@:2}" && gpucc -shared "$1/names.o" -o "$1/libnames.so"
}
# pair NAME OPTION…: stock-NAME and lazy-NAME
pair() {
  name=$1
  shift
  build "stock-$name" "$@" || fail "$name: the regular library"
  lazy "lazy-$name" "$@" 2>err || fail "$name: $(cat err)"
  has "$name: lazy" '1 ordinary source lazy' err
}
# both NAME CASE…: in one process, cold, and in a second
both() {
  name=$1
  shift
  cases=()
  for case_; do
    case $case_ in close | fork) cases+=("$case_") ;; *) cases+=("names:$case_") ;; esac
  done
  afresh "$name" "stock-$name" "lazy-$name" "${cases[@]}"
}
# Was CUDA's host side made without the front end of the device, or was that asked, for names or for all of it?
without_front_end() {
  [ "$platform" = hip ] || is "$1: made without the front end" 1 "$(readelf -SW "lazy-$1/names.o" | grep -c '\.rodata\.ckjit_names')"
}
asked() {
  [ "$platform" = hip ] || is "$1: the front end was asked" 1 "$(grep '"kind":"unit"' home/work/manifest.json.ndjson | tail -n 1 | grep -c '"stub":"')"
}

pair one
without_front_end one
both one where arguments templates otherwise
both one captured threads otherwise close threads captured
both one fork where threads

# a compiler that fails, then does not
mkdir failing
case $platform in
cuda) real=$cuda/bin/nvcc pattern='*"/unit.cu "*' variable=CK_JIT_NVCC ;;
hip) real=$(command -v hipcc) pattern='*" -c "*' variable=CK_JIT_HIPCC ;;
esac
name=${real##*/}
printf '#!/bin/sh\n[ -e "%s/broken" ] && case " $* " in %s) echo broken >&2; exit 1 ;; esac\nexec "%s" "$@"\n' "$T" "$pattern" "$real" >"failing/$name"
chmod +x "failing/$name"
rm -rf cache
: >broken
(
  export "$variable=$T/failing/$name" BROKEN="$T/broken"
  on_gpu ./calls ./lazy-one/libnames.so:again >lazy.out 2>lazy.err
) || { cat lazy.err && fail "again: $(cat lazy.out)"; }
printf '%s\n' 'libnames.so again' 'first: NAMEErrorInvalidDeviceFunction' 'then: NAMESuccess 61 0' | sed "s/NAME/$platform/" |
  diff - lazy.out || fail "again: $(cat lazy.err)"
echo 'again: a launch that has failed is tried again'

if [ "$platform" = cuda ]; then
  pair shared -cudart shared
  both shared where arguments templates otherwise
  archs='-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_100,code=sm_100'
  [ "$arch" = 90 ] || archs="-gencode=arch=compute_75,code=sm_75 -gencode=arch=compute_$arch,code=sm_$arch"
else
  archs="--offload-arch=gfx90a --offload-arch=$arch"
fi
pair several
without_front_end several
both several where arguments templates otherwise
archs=
case $platform in
cuda) pair scaled -DSCALE=3 -O3 --use_fast_math -lineinfo ;;
hip) pair scaled -DSCALE=3 -O3 -ffast-math -g ;;
esac
both scaled where arguments templates otherwise
pair uncertain -DUNCERTAIN
asked uncertain
both uncertain where templates uncertain otherwise
for form in STATIC_OF_C NAMESPACE_OF_C TAGLESS; do
  pair "$form" "-D$form"
  asked "$form"
  both "$form" apart otherwise
done
if [ "$platform" = cuda ]; then
  printf 'front=build\n' >>home/ckjit.conf
  pair early -DEARLY
  without_front_end early
  both early where arguments templates otherwise
fi
[ "$compared" -gt 0 ] || fail 'nothing was compared'
