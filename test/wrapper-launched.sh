#!/bin/sh
# ccache and sccache in front of the fake hipcc, as CMAKE_CXX_COMPILER_LAUNCHER puts them there: a unit is recorded as the call says,
# every time; the build after `clean` links and works; another directory with the same text gets its own sources. What is no unit
# is cached as ever.
# tier: all
# seconds: 21
. "${0%/*}/common.sh"
need ccache
. "$here/unit/postbuild_fixture.sh"
export CCACHE_DIR="$T/ccache" SCCACHE_DIR="$T/sccache" SCCACHE_IDLE_TIMEOUT=120 SCCACHE_SERVER_PORT=$((20000 + ($$ + 7000) % 20000))
unset CCACHE_DISABLE CCACHE_CONFIGPATH CCACHE_RECACHE CCACHE_DEPEND CCACHE_BASEDIR SCCACHE_REDIS SCCACHE_CONF
trap 'sccache --stop-server >/dev/null 2>&1 || true; rm -rf "$T"' EXIT

# units LAUNCHER: the three objects, and their depfiles, by the fake hipcc behind LAUNCHER
units() {
  for name_ in k1 k2 host; do
    as_build "$1" "$T/home/bin/hipcc" -x c++ -fPIC -fvisibility=hidden -I. -MD -MF "$name_.d" -c "$name_.cpp" -o "$name_.o" ||
      fail "$1: $name_: $(cat "$T/err")"
    grep -q api.hpp "$name_.d" || fail "$1: the depfile of $name_: $(cat "$name_.d")"
  done
}
# tree DIR FACTOR: sources in DIR; the kernels multiply by FACTOR
tree() {
  mkdir -p "$1"
  (
    cd "$1"
    cp ../api.hpp .
    kernel 1 "$2" && kernel 2 2 && host 1 2
    cat api.hpp k1.cpp >both
  )
}
# gives LIBRARY VALUE: what its first kernel gives
gives() {
  rm -rf "$T/cache"
  found=$(./program "$PWD/$1" 1) || fail "$1 cannot be called"
  [ "${found%% *}" = "$2" ] || fail "$1: $found, not $2"
}
# linked LIBRARY: of the three objects, with both kernels lazy
linked() {
  as_build hipcc -shared -o "$1" k1.o k2.o host.o || fail "$launcher: $1: $(cat "$T/err")"
  grep -q '2 blobs are lazy .* 0 compiled ahead of time' "$T/err" || fail "$launcher: $1: $(cat "$T/err")"
}
launchers=ccache
sccache --start-server >server 2>&1 && launchers="$launchers sccache"
for launcher in $launchers; do
  # The same text in two directories; a header that only the compile of the kernel sees is different.
  for dir in a b; do
    rm -rf $dir
    tree $dir FACTOR
    cp program $dir
  done
  echo '#define FACTOR 3' >a/factor.hpp
  echo '#define FACTOR 5' >b/factor.hpp
  for dir in a b; do sed -i '1i #include "factor.hpp"' $dir/k1.cpp; done
  cd a
  units "$launcher"
  linked liba.so
  gives liba.so 301
  rm -f ./*.o ./*.d liba.so
  rm -rf "$work/liba"
  units "$launcher"
  linked liba.so
  gives liba.so 301
  # The second kernel's text is the same to the byte in both; a stub that came from the other would name what is gone.
  cd ../b
  units "$launcher"
  rm -rf ../a
  linked libb.so
  gives libb.so 501
  # Other options for the same text.
  for name in k1 k2; do
    as_build "$launcher" "$T/home/bin/hipcc" -x c++ -fPIC -fvisibility=hidden -I. -DUNUSED=1 -c $name.cpp -o $name.o || fail "$(cat "$T/err")"
    grep -aq UNUSED $name.o || fail "$launcher: $name.o has the options of another call"
  done
  cd ..
done
# The host source was compiled once and came out of the cache after that.
ccache --print-stats | awk '/^(direct|preprocessed)_cache_hit/ { h += $2 } END { exit h < 1 }' || fail "nothing is cached: $(ccache -s)"
# A preprocessing that no launcher asks for is the compiler's.
kernel 1
as_build hipcc -x c++ -I. -E k1.cpp >text || fail "-E: $(cat err)"
grep -q 'struct args' text || fail "-E gives $(head -n 3 text)"
