#!/bin/sh
# On a real GPU, ordinary units print what the regular compiler's library prints: templates, static
# kernels, lambdas, variables that the host writes, function pointers, attributes and occupancy,
# cooperative and clustered launches, graphs with a first launch in a capture, callbacks, modules that
# the program loads, streams of several threads, two libraries with the same kernel names, unloading,
# fork. So with late units as well, with both CUDA runtimes and CUDA_MODULE_LOADING=EAGER; with HIP for a target without xnack
# and a generic one, with --offload-compress, --offload-new-driver, as static libraries, compiled whole
# (CK_JIT_PER_KERNEL=0). A second process compiles nothing.
# tier: long
. "${0%/*}/common.sh"
. "$here/gpu/fixture.sh"

# build DIRECTORY OPTION…: two libraries whose kernels have the same names, in DIRECTORY, by the
# compiler of the path
build() (
  mkdir "$1" && cd "$1" && sources units.cu && shift || exit
  gpucc "$@" -c units.cu -o one.o && gpucc "$@" -DSCALE=3 -c units.cu -o two.o || exit
  for name in one two; do
    if [ "$form" = archive ]; then
      ar rc "lib$name.a" "$name.o" &&
        gpucc "$@" -shared -Wl,--whole-archive "lib$name.a" -Wl,--no-whole-archive -o "lib$name.so" || exit
    else
      gpucc "$@" -shared "$name.o" -Xlinker -u -Xlinker run -o "lib$name.so" || exit
    fi
  done
)
# pair NAME OPTION…: stock-NAME and lazy-NAME
pair() {
  name=$1
  shift
  build "stock-$name" "$@" || fail "$name: the regular library"
  lazy "lazy-$name" "$@" 2>err || fail "$name: the lazy library: $(cat err)"
  "$B/bin/ckjit-build" explain home units >explained
  has "$name: the units are lazy" 'libone.so: lazy, an ordinary unit' explained
}
# late_pair: the same with units whose host side is made at the first call: run() is demanded
late_pair() {
  build stock-late || fail "late: the regular library"
  late lazy-late 2>err || fail "late: the lazy library: $(cat err)"
  "$B/bin/ckjit-build" explain home units >explained
  has 'the units are late' 'needs run of it' explained
}
# all NAME CASE…: each case in a process of its own, cold and then without a compiler
all() {
  name=$1
  shift
  for case_; do
    afresh "$name, $case_" "stock-$name" "lazy-$name" "one:$case_"
  done
}
# together NAME CASE…: all cases in one process
together() {
  name=$1
  shift
  afresh "$name" "stock-$name" "lazy-$name" "$@"
}
# libraries NAME: two libraries in a process, unloaded, loaded again, in a child
libraries() {
  rm -rf cache
  compare "$1, two libraries, in turn" "stock-$1" "lazy-$1" one:plain two:plain one:variables two:variables one:plain two:groups
  compare "$1, unloaded and loaded again" "stock-$1" "lazy-$1" one:plain two:variables close one:plain one:variables two:plain
  rm -rf cache
  compare "$1, fork" "stock-$1" "lazy-$1" fork one:plain one:variables
  rm -rf cache
  compare "$1, a child that launches nothing" "stock-$1" "lazy-$1" one:plain idle-fork one:plain one:variables
}
cases='plain instances variables limits groups graph-global graph-thread graph-relaxed streams callbacks modules says'
form=objects
(sources module.cu)
export MODULE="$T/module.code"
case $platform in
cuda)
  nvcc "-arch=sm_$arch" -cubin module.cu -o "$MODULE"
  for runtime in static shared; do
    pair "$runtime" -cudart "$runtime"
    # shellcheck disable=SC2086 # words
    all "$runtime" $cases
    rm -rf cache
    CUDA_MODULE_LOADING=EAGER compare "$runtime, eager" "stock-$runtime" "lazy-$runtime" one:plain one:variables
    libraries "$runtime"
  done
  late_pair
  # shellcheck disable=SC2086 # words
  all late $cases
  libraries late
  ;;
hip)
  hipcc "--offload-arch=$arch" --genco module.cu -o "$MODULE"
  pair units
  "$clang/llvm-objdump" --offloading stock-units/libone.so >offloading
  has 'the regular library' 'Extracting offload bundle' offloading
  "$clang/llvm-objdump" --offloading lazy-units/libone.so >offloading
  lacks 'device code in a lazy library' 'Extracting offload bundle' offloading
  # shellcheck disable=SC2086 # words
  all units $cases
  libraries units
  late_pair
  # shellcheck disable=SC2086 # words
  all late $cases
  libraries late
  few='one:plain one:variables one:groups one:graph-global'
  # shellcheck disable=SC2086 # words
  CK_JIT_PER_KERNEL=0 together units $few
  for variant in xnack generic compress new-driver archive; do
    form=objects archs='' option=''
    case $variant in
    xnack) archs=--offload-arch=$arch:xnack- ;;
    generic)
      # the family's generic target, which the compiler and the runtime may or may not know
      case $arch in gfx942 | gfx950) archs=--offload-arch=gfx9-4-generic ;; *) continue ;; esac
      ;;
    compress) option=--offload-compress ;;
    new-driver) option=--offload-new-driver ;;
    archive) form=archive ;;
    esac
    # shellcheck disable=SC2086 # no word or one
    pair "$variant" $option
    # shellcheck disable=SC2086 # words
    together "$variant" $few
  done
  ;;
esac
[ "$compared" -gt 0 ] || fail 'nothing was compared'
