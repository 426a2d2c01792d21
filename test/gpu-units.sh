#!/bin/sh
# On a real GPU, ordinary units of CUDA print what nvcc's library prints: templates, static kernels, lambdas, variables that the host writes, function
# pointers, attributes and occupancy, cooperative and clustered launches, graphs with a first launch in a capture, streams of several threads, two
# libraries with the same kernel names, unloading, fork; with the shared and the static CUDA runtime and CUDA_MODULE_LOADING=EAGER. A second process
# compiles nothing.
# tier: long
. "${0%/*}/common.sh"
. "$here/gpu/fixture.sh"

# build DIRECTORY OPTION…: two libraries whose kernels have the same names, in DIRECTORY, by the nvcc of the path
build() (
  mkdir "$1" && cp "$here/gpu/units.cu" "$1" && cd "$1" && shift || exit
  flags="-std=c++17 -O2 --extended-lambda -arch=sm_$arch -Xcompiler -fPIC"
  # shellcheck disable=SC2086 # words
  nvcc $flags "$@" -c units.cu -o one.o && nvcc $flags "$@" -DSCALE=3 -c units.cu -o two.o &&
    nvcc "$@" -shared one.o -o libone.so && nvcc "$@" -shared two.o -o libtwo.so
)
# compare WHAT STOCK LAZY CASE…: both libraries' words and exit status
compare() (
  what=$1 stock=$2 lazy=$3 status=0
  shift 3
  for side in "$stock" "$lazy"; do
    words=
    for case_; do
      case $case_ in *:*) words="$words ./$side/lib$case_" ;; *) words="$words $case_" ;; esac
    done
    words=$(echo "$words" | sed 's/\(lib[a-z]*\):/\1.so:/g')
    # shellcheck disable=SC2086 # words
    ./calls $words >"$side.out" 2>"$side.err" || status=$?
    echo "exit status $status" >>"$side.out"
  done
  has "$what" 'exit status 0' "$stock.out"
  diff "$stock.out" "$lazy.out" >differs || { cat "$lazy.err"; fail "$what: $(cat differs)"; }
  echo "$what: $(wc -l <"$lazy.out") lines are the same"
)
cases='plain instances variables limits groups graph-global graph-thread graph-relaxed streams says'
for runtime in static shared; do
  build "stock-$runtime" -cudart "$runtime" || fail "nvcc's library with the $runtime runtime"
  lazy "lazy-$runtime" -cudart "$runtime" || fail "the lazy library with the $runtime runtime"
  "$B/bin/ckjit-build" explain home units >explained
  has "the units are lazy" 'libone.so: lazy, an ordinary unit' explained
  for case_ in $cases; do
    rm -rf cache
    compare "$runtime, $case_, cold" "stock-$runtime" "lazy-$runtime" "one:$case_"
    CK_JIT_ON_MISS=error compare "$runtime, $case_, in a second process" "stock-$runtime" "lazy-$runtime" "one:$case_"
  done
  rm -rf cache
  CUDA_MODULE_LOADING=EAGER compare "$runtime, eager" "stock-$runtime" "lazy-$runtime" one:plain one:variables
  rm -rf cache
  # shellcheck disable=SC2086 # words
  compare "$runtime, two libraries, in turn" "stock-$runtime" "lazy-$runtime" one:plain two:plain one:variables two:variables one:plain two:groups
  compare "$runtime, unloaded and loaded again" "stock-$runtime" "lazy-$runtime" one:plain two:variables close one:plain one:variables two:plain
  rm -rf cache
  compare "$runtime, fork" "stock-$runtime" "lazy-$runtime" fork one:plain one:variables
done
