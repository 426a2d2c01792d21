#!/bin/sh
# The recipes of docs/packs.md, step by step: the build stage in a root with a compiler and without a GPU, the run stage in one that has
# libc, the library, the kernels and a job, and no compiler, header or shell. There the job works; without the pack it says what is missing.
# The recipe for CUDA has the same steps.
# tier: all
# seconds: 10
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
. "${0%/*}/unit/pack_fixture.sh"
[ "$(id -u)" = 0 ] || skip "needs root, for chroot and mount"
[ -z "${SANITIZER-}" ] || skip "a sanitizer's job needs more than libc"
need unshare chroot ldd
unshare -m true 2>/dev/null || skip "no mounts can be made here"

# the recipes: rocm and cuda, a line each step
awk '/^```dockerfile/ { n++; next } /^```/ { out = "" ; inside = 0 } { if (n && !closed[n]) print > ("'"$T"'/recipe." n) } /^```$/ { closed[n] = 1 }' "$top/docs/packs.md"
sed -i '/^```$/,$d' "$T"/recipe.?
is "steps of CUDA's" "$(grep -v ^FROM "$T/recipe.1")" "$(grep -v ^FROM "$T/recipe.2" | sed 's/sm_90/gfx942/')"
is "stages" "FROM FROM " "$(cut -d' ' -f1 "$T/recipe.1" | grep FROM | tr '\n' ' ')"

# what is copied into the images: the library without GPU code of its own, and a job
library lib
install lib
mkdir "$T/context"
cp -r "$T/lib" "$T/context/mylib"
mv "$T/context/mylib/driver" "$T/context/job"
is "arguments of the job" 'CMD ["/opt/mylib/job"]' "$(grep CMD "$T/recipe.1")"

# the build stage's root: the machine's own programs, and no GPU
build=$T/build run=$T/run
mkdir -p "$build/opt" "$build/tmp" "$build/dev" "$build/proc" "$build/etc" "$build/usr" "$build$T" "$build$unit" "$run/opt/mylib" "$run/proc"
for dir in bin lib lib64 sbin; do ln -s "usr/$dir" "$build/$dir"; done
in_build() {
  # shellcheck disable=SC2016 # the arguments are the inner shell's
  unshare -m sh -c 'root=$1 T=$2 unit=$3; shift 3
    for d in usr etc dev proc; do mount --rbind /$d "$root/$d" || exit 1; done
    for d in "$T" "$unit"; do mount --bind "$d" "$root$d" || exit 1; done
    exec chroot "$root" env -i PATH="$PATH" HOME=/tmp sh -ec "$1"' - "$build" "$T" "$unit" "$1"
}
# the run stage's: the job's libraries
libs_of() {
  ldd "$@" | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p; s/^[[:space:]]*\(\/[^ ]*\) (.*/\1/p' | sort -u
}
for lib in $(LD_LIBRARY_PATH=$T/lib libs_of "$T/lib/driver" "$T/lib/libkernels.so" | grep -v "^$T"); do
  mkdir -p "$run${lib%/*}"
  cp -L "$lib" "$run$lib"
done
# one GPU, as the driver shows it
mkdir -p "$run/sys/class/kfd/kfd/topology/nodes/0"
echo "gfx_target_version 90402" >"$run/sys/class/kfd/kfd/topology/nodes/0/properties"

stage=
: >"$T/env"
while read -r word rest; do
  case $word in
  FROM) case $rest in *' AS build') stage=$build ;; *) stage=$run ;; esac ;;
  RUN) case $rest in apt-get*) ;; *) in_build "$rest" >"$T/out" 2>&1 || fail "RUN $rest: $(cat "$T/out")" ;; esac ;;
  COPY)
    from=$T/context
    case $rest in --from=build*) from=$build rest=${rest#* } ;; esac
    mkdir -p "$stage$(dirname "${rest#* }")"
    cp -r --preserve=mode "$from/${rest% *}" "$stage${rest#* }"
    ;;
  ENV) echo "$rest" >>"$T/env" ;;
  CMD | '') ;;
  *) fail "a step that is not understood: $word $rest" ;;
  esac
done <"$T/recipe.1"
[ -s "$build/opt/kernels.ckjit" ] || fail "no pack"
is "programs in the run stage" "/opt/mylib/job" "$(cd "$run" && find . -type f -perm /111 ! -name '*.so*' | sed 's/^\.//')"
is "headers, sources and directories of ckjit" "" "$(find "$run" -name '*.h' -o -name '*.cu' -o -name 'ck_jit' -o -name '.pch' -o -name '.locks')"
# job WORD…: in the run stage, as another user
job() {
  # shellcheck disable=SC2016 # the arguments are the inner shell's
  unshare -m sh -c 'run=$1; shift; mount --bind /proc "$run/proc" && exec chroot --userspec=12345:12345 "$run" /opt/mylib/job "$@"' - "$run" "$@"
}
set -a
# shellcheck disable=SC1091
. "$T/env"
set +a
is "the environment" "/opt/kernels error" "$CK_JIT_CACHE_READONLY_DIR $CK_JIT_ON_MISS"
unset CK_JIT_CACHE_DIR CK_JIT_HIPCC CK_JIT_KFD_ROOT
export HOME=/nonexistent
for n in 0 1 2; do is "kernel $n" "$((1000 + 100 * n + 5))" "$(job value $n 5)"; done
is "arguments" ok "$(job arguments)"
mv "$run/opt/kernels/value1.so" "$T"
job value 1 5 >"$T/out" && fail "it has compiled: $(cat "$T/out")"
has "forgotten" "value1: it is not compiled, because CK_JIT_ON_MISS is error" "$T/out"
has "looked into" "looked into: /opt/kernels" "$T/out"
echo "gfx_target_version 90500" >"$run/sys/class/kfd/kfd/topology/nodes/0/properties"
job value 0 5 >"$T/out" && fail "another GPU's code was loaded: $(cat "$T/out")"
has "another GPU" "/opt/kernels has it from another compiler, with other system headers or for other architectures" "$T/out"
