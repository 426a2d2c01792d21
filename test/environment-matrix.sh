#!/bin/sh
# No variable of a job changes what a HIP compile makes and leaves to others: with each of test/environment/table in turn, which would
# change the code or exchange the compiler, a first call gives what it gives without, and so does the next one; and in the other order.
# tier: long
# seconds: 200
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
. "$here/unit/environment_fixture.sh"
need ccache gcc
poisons
export CCACHE_DIR="$T/ccache"
real=$(command -v hipcc)
of_hip=$(rows hip | wc -l) of_ccache=$(rows ccache | wc -l) of_device=$(rows device | wc -l)
plain=$((of_hip + of_ccache)) all=$((of_hip + of_ccache + of_device))
[ "$all" -ge 60 ] || fail "the table has $all rows for HIP; expected 60 or more"

# the kernels: those of hip and ccache plain C++, those of device HIP
cat >times.hpp <<'END'
#include <climits>
#ifdef POISON
#define times(n) 7 * (n)
#else
#define times(n) (n)
#endif
END
numbers=$(seq "$all")
for n in $numbers; do
  kernel "$n" "times($n)"
  sed -i '1i #include "times.hpp"' "k$n.cpp"
done
# shellcheck disable=SC2086 # numbers
host $numbers
objs=host.o
objects host
for n in $numbers; do
  if [ "$n" -le "$plain" ]; then
    as_build hipcc -x c++ -fPIC -I. -c "k$n.cpp" -o "k$n.o" || fail "$(cat err)"
  else
    as_build hipcc -x hip --offload-arch=gfx90a -fPIC -I. -c "k$n.cpp" -o "k$n.o" || fail "$(cat err)"
  fi
  objs="$objs k$n.o"
done
# shellcheck disable=SC2086 # words
link liba.so $objs
says " $all blobs are lazy"

# made OUT COMMAND…: what COMMAND makes in $T/d, says and returns
made() {
  out_=$1 status_=0
  shift
  rm -rf d d.so && mkdir d
  "$@" -o d.so >d/said 2>&1 || status_=$?
  { echo "status $status_"; sed 's/0x[0-9a-f]*//g; s/[0-9.]* *ms//g; /^clang version\|^Time/d' d/said; ! [ -e d.so ] || sha256sum <d.so; } >"$out_"
}
direct_hip() { made "$1" env "$2" "$real" -x c++ -O1 -fPIC -shared -I. k1.cpp; }
direct_device() { made "$1" env "$2" "$real" -x hip --offload-arch=gfx90a -O1 -fPIC -shared -I. k1.cpp; }
direct_ccache() { rm -rf "$CCACHE_DIR" && made "$1" env "$2" ccache "$real" -x c++ -O1 -fPIC -I. -c k1.cpp; }
for family in hip device ccache; do
  rows $family >list
  while IFS='|' read -r name value why; do is_poison $family "$name" "$value" "$why"; done <list
done
[ ! -e wrong ] || fail "$(cat wrong)"
echo "$poisons_ of $all rows change what the real compilers make"

job() { (right liba.so "$1"); }
entry() { cat "$CK_JIT_CACHE_DIR/k$1.so"; }

# without any of them
# shellcheck disable=SC2086 # numbers
CK_JIT_CACHE_DIR="$T/clean" CK_JIT_JOBS=2 CK_JIT_MANIFEST="$work/liba/ck_jit_manifest.json" "$B/bin/ckjit-prebuild" build --all >said 2>&1 || fail "$(cat said)"
# first with it
tried hip 1
CK_JIT_COMPILER_LAUNCHER=ccache tried ccache $((of_hip + 1))
tried device $((plain + 1))
# first without it
n=1
for family in hip ccache device; do
  while IFS='|' read -r name value why; do
    (export CK_JIT_CACHE_DIR="$T/clean" CK_JIT_HIPCC=/bin/false && export "$name=$value" && job $n) || fail "what is in the cache is not used with $name"
    n=$((n + 1))
  done <<END
$(rows $family)
END
done
# all at once, before a compiler that tells what it was given
for family in hip device ccache; do
  rm -rf cache
  not_seen $family CK_JIT_HIPCC calls liba.so 1
done
