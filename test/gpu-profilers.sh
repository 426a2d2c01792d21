#!/bin/sh
# Profilers and debuggers see a lazy kernel as they see the regular one, at its first launch and in
# a second process: ncu names it and counts its launches, compute-sanitizer finds a planted fault
# with kernel, source line and host frame, cuda-gdb stops in it. Nsight Systems, where it is
# installed, lists the same kernels. What a process launches first is an exception for cuda-gdb,
# see docs/profilers.md: the breakpoints are in the second kernel.
# tier: long
. "${0%/*}/common.sh"
. "$here/gpu/fixture.sh"

# build DIRECTORY OPTION...: the program, by the nvcc on the PATH
build() (
  mkdir "$1" && cp "$here/gpu/profiled.cu" "$1" && cd "$1" && shift || exit
  nvcc -std=c++17 "-arch=sm_$arch" "$@" -c profiled.cu -o profiled.o && nvcc profiled.o -o profiled
)
for how in "optimised -O2 -lineinfo" "debug -g -G"; do
  # shellcheck disable=SC2086 # words
  set -- $how
  name=$1
  shift
  build "regular-$name" "$@" || fail "$name: the regular build"
  lazy "lazy-$name" "$@" || fail "$name: the lazy build"
  "$B/bin/ckjit" explain home "$PWD/lazy-$name/profiled.cu" >"explained-$name"
done
has "the optimised unit is lazy" ' unit: ' explained-optimised
has "the debug unit is the compiler's" '-G is among its options' explained-debug

seen=0
# both WHAT KIND FILTER COMMAND: COMMAND of the regular program, of a lazy one that has compiled
# nothing yet, and of that once more must print the same, as far as the sed script FILTER prints
# it. PROGRAM in COMMAND stands for the program.
both() {
  rm -rf cache
  for turn in regular lazy again; do
    side=$turn miss=compile
    [ "$turn" != again ] || side=lazy miss=error
    [ "$turn" != lazy ] || rm -rf cache
    printf '%s\n' "$4" | sed "s|PROGRAM|./$side-$2/profiled|" >commands
    CK_JIT_ON_MISS=$miss timeout 300 sh ./commands >said 2>&1 || echo "exit status $?" >>said
    sed -n "$3" said | sort >"said-$turn"
    [ -s "said-$turn" ] || fail "$1, $turn: it says nothing of it: $(cat said)"
    diff said-regular "said-$turn" >differs || fail "$1, $turn: $(cat differs) $(cat said)"
  done
  echo "$1: $(wc -l <said-lazy) lines are the same"
  seen=$((seen + 1))
}

if command -v ncu >/dev/null; then
  metric=gpu__time_duration.sum
  both 'ncu, kernels' optimised \
    "s/^\"[0-9]*\",\"[0-9]*\",\"[^\"]*\",\"[^\"]*\",\"\([^\"]*\)\".*$metric.*/\1/p" \
    "ncu --clock-control none --csv --metrics $metric PROGRAM"
  page='--page source --print-source sass,cuda --csv'
  both 'ncu, source' optimised '/profiled.cu/s/.*\(profiled.cu\).*/\1/p' \
    "ncu --clock-control none --set full --import-source yes -f -o report PROGRAM >log &&
      ncu --import report.ncu-rep $page | grep -o 'profiled.cu[^,]*' | sort -u"
fi
if command -v nsys >/dev/null; then
  both 'nsys, kernels' optimised 's/.*\(scale(float\|shift<.*>(float\).*/\1/p' \
    'nsys profile -f true -o timeline PROGRAM &&
      nsys stats -f csv -r cuda_gpu_kern_sum timeline.nsys-rep'
fi
if command -v compute-sanitizer >/dev/null; then
  both 'compute-sanitizer' optimised '/Invalid __global__ /p; s/+0x[0-9a-f]* in / in /
    / at .*profiled.cu:/p; /Host Frame: main/s/ \[.*//p; /ERROR SUMMARY/p' \
    'compute-sanitizer PROGRAM bad'
fi
if command -v cuda-gdb >/dev/null; then
  gdb="cuda-gdb -batch -ex 'set breakpoint pending on'"
  line=$(sed -n '/x\[i + Past\] =/=' "$here/gpu/profiled.cu")
  hit='/CUDA thread hit/s/.*, \([a-z]*<.*>>>\).*/\1/p; /^last /p'
  both 'cuda-gdb, a line' optimised "$hit" \
    "$gdb -ex 'break profiled.cu:$line' -ex run -ex delete -ex continue PROGRAM"
  both 'cuda-gdb, a line, -G' debug "$hit" \
    "$gdb -ex 'break profiled.cu:$line' -ex run -ex delete -ex continue PROGRAM"
  both 'cuda-gdb, each launch, -G' debug "$hit" \
    "$gdb -ex 'set cuda break_on_launch application' -ex run -ex continue -ex continue PROGRAM"
fi
[ "$seen" -gt 0 ] || skip "neither ncu, nsys, compute-sanitizer nor cuda-gdb is here"
