#!/bin/sh
# On a real GPU, a lazy unit of CUDA whose host side was made without the front end of the device launches its kernels as nvcc's library does: names and
# arguments of all forms, for one architecture and for several, with the front end at the build and at the launch, both CUDA runtimes. The same of
# kernels whose names are not certain, for which the front end is asked. A launch whose compiler failed is tried again by the next.
# tier: long
. "${0%/*}/common.sh"
. "$here/gpu/fixture.sh"
cp "$here/gpu/names.cu" .
lazily() (
  # shellcheck disable=SC1091
  . ./exports
  "$@"
)
# build NAME OPTION…: NAME/stock.so and NAME/lazy.so
build() {
  name=$1
  shift
  mkdir "$name"
  nvcc -std=c++17 -O2 -Xcompiler -fPIC "-arch=sm_$arch" -w -c names.cu -o stock.o "$@" && nvcc -shared stock.o -o "$name/stock.so" || fail "$name: nvcc's library"
  # shellcheck disable=SC2086 # words
  lazily nvcc -std=c++17 -O2 -Xcompiler -fPIC -w -c names.cu -o lazy.o ${archs:--arch=sm_$arch} "$@" 2>err && lazily nvcc -shared lazy.o -o "$name/lazy.so" 2>err ||
    fail "$name: $(cat err)"
  has "$name: lazy" '1 ordinary unit, lazy' err
}
# compare NAME CASE…: cold, and in a second process
compare() {
  name=$1
  shift
  rm -rf cache
  words='' status=0
  for case_; do
    case $case_ in close | fork) words="$words $case_" ;; *) words="$words ./$name/lazy.so:$case_" ;; esac
  done
  # shellcheck disable=SC2046 # words
  ./calls $(echo "$words" | sed 's/lazy/stock/g') 2>&1 | sed 's/^stock/lazy/' >stock.out
  for on_miss in compile error; do
    # shellcheck disable=SC2086 # words
    CK_JIT_ON_MISS=$on_miss ./calls $words >lazy.out 2>lazy.err || status=$?
    diff stock.out lazy.out >differs || { cat lazy.err; fail "$name, $on_miss: $(cat differs)"; }
    is "$name, $on_miss: exit status" 0 "$status"
  done
  echo "$name: $(wc -l <lazy.out) lines are the same"
}
own() { readelf -SW lazy.o | grep -c '\.rodata\.ckjit_names'; }
# was the front end asked, for the names or for all of the host's side?
asked() { grep '"kind":"unit"' home/work/manifest.json.ndjson | tail -n 1 | grep -c '"stub":"'; }

build one
is 'made without the front end' 1 "$(own)"
compare one where arguments templates otherwise
compare one captured threads otherwise close threads captured
compare one fork where threads

# a compiler that fails, then does not
mkdir failing
printf '#!/bin/sh\n[ -e "%s/broken" ] && case " $* " in *"/unit.cu "*) echo broken >&2; exit 1 ;; esac\nexec "%s" "$@"\n' "$T" "$cuda/bin/nvcc" >failing/nvcc
chmod +x failing/nvcc
rm -rf cache
: >broken
CK_JIT_NVCC=$T/failing/nvcc BROKEN=$T/broken ./calls ./one/lazy.so:again >lazy.out 2>lazy.err || { cat lazy.err && fail "again: $(cat lazy.out)"; }
printf '%s\n' 'lazy.so again' 'first: cudaErrorInvalidDeviceFunction' 'then: cudaSuccess 61 0' | diff - lazy.out || fail "again: $(cat lazy.err)"

echo 'again: a launch that has failed is tried again'

build shared -cudart shared
compare shared where arguments templates otherwise
archs='-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_100,code=sm_100'
[ "$arch" = 90 ] || archs="-gencode=arch=compute_75,code=sm_75 -gencode=arch=compute_$arch,code=sm_$arch"
build several
is 'several: made without the front end' 1 "$(own)"
compare several where arguments templates otherwise
archs=
build scaled -DSCALE=3 -O3 --use_fast_math -lineinfo
compare scaled where arguments templates otherwise
build uncertain -DUNCERTAIN
is 'uncertain: the front end was asked' 1 "$(asked)"
compare uncertain where templates uncertain otherwise
for form in STATIC_OF_C NAMESPACE_OF_C TAGLESS; do
  build "$form" "-D$form"
  is "$form: the front end was asked" 1 "$(asked)"
  compare "$form" apart otherwise
done
printf 'front=build\n' >>home/ckjit.conf
build early -DEARLY
is 'early: made without the front end' 1 "$(own)"
compare early where arguments templates otherwise
