#!/bin/bash
# Sixteen processes launch one kernel of a lazy unit at once: one compile, and all are right. A compile that is killed in the middle, its
# worker, its keeper or both, while others wait: they go on, and nothing is left of it. The launch that had started it fails with the runtime's
# error; the same process's next one does not, but for nvcc 13's host code, which asks for a kernel once in a process. A process that is killed
# in its launch does not take the compile with it. So for HIP and, if there is an nvcc, CUDA.
# tier: all
# seconds: 30
. "${0%/*}/common.sh"
need pgrep

# slow COMMAND: the last lines of a shell script that is COMMAND: it writes a line to $T/compiles, waits while there is $T/hold, and goes on as COMMAND
slow() {
  cat <<END
echo \$\$ >>'$T/compiles'
while [ -e '$T/hold' ]; do sleep 0.02; done
exec '$1' "\$@"
END
}

# held: the compiler of so many compiles has begun
held() {
  kill -0 "${pids[@]}" 2>/dev/null || fail "$what: a process has ended: $(cat out.* said.*)"
  [ -s "$T/compiles" ] && [ "$(wc -l <"$T/compiles")" = "$1" ]
}
# begin N: N processes launch the kernel, and come to where one compiles and the others wait
begin() {
  rm -rf cache compiles
  : >hold
  pids=()
  for ((i = 0; i < $1; i++)); do
    PROCESS=$i launch >"out.$i" 2>"said.$i" &
    pids+=($!)
  done
  await "$what: nobody compiles" held 1
  await "$what: not all wait" waiting $(($1 - 1)) cache
}
# all_right [PID WHAT]: all processes have launched it twice; PID has got WHAT, or has died without one
all_right() {
  for ((i = 0; i < ${#pids[@]}; i++)); do
    if [ "${pids[i]}" = "${1-}" ] && [ -z "$2" ]; then
      wait "${pids[i]}" && fail "$what: process $i was killed and has ended well"
      continue
    fi
    wait "${pids[i]}" || fail "$what: process $i: $(cat "out.$i" "said.$i")"
    expected=$right$right
    [ "${pids[i]}" != "${1-}" ] || expected=$2
    is "$what: process $i, ${victim-nobody} killed ($(cat "said.$i"))" "$expected" "$(tr '\n' ' ' <"out.$i")"
    [ "${pids[i]}" != "${1-}" ] || has "$what: why, $victim killed" 'killed by signal 9' "said.$i"
  done
  is "$what: left" '' "$(find cache -name '.tmp-*' -o -name '*.failed')"
}
parent() {
  sed 's/.*) . \([0-9]*\) .*/\1/' "/proc/$1/stat"
}
# the compile that is held: its worker, its keeper, and the process that has started it
find_compile() {
  worker=$(tail -n 1 compiles)
  until [ "$(cat "/proc/$worker/comm")" = ckjit-compile ]; do worker=$(parent "$worker"); done
  keeper=$(parent "$worker")
  is "$what: the worker's parent" ckjit-compile "$(cat "/proc/$keeper/comm")"
  starter=$(parent "$keeper")
  case " ${pids[*]} " in *" $starter "*) ;; *) fail "$what: $starter has started the compile, none of ours" ;; esac
}

robust() {
  begin 16
  rm hold
  all_right
  is "$what: compiles" 1 "$(wc -l <compiles)"
  # HIP's kernel may have the front end's entry beside it, as it may have been ready in time
  is "$what: entries" "$entries" "$(find cache -maxdepth 1 -name '*.so' ! -path "$without" | wc -l)"

  for victim in worker keeper both; do
    begin 4
    find_compile
    case $victim in
    worker) kill -KILL "$worker" ;;
    keeper) kill -KILL "$keeper" ;;
    both) kill -STOP "$keeper" "$worker" && kill -KILL "$keeper" "$worker" ;; # or the one would tidy up for the other
    esac
    await "$what: nobody goes on, $victim killed" held 2
    rm hold
    all_right "$starter" "$wrong"
    is "$what: compiles, $victim killed" 2 "$(wc -l <compiles)"
  done

  victim=starter
  begin 3
  find_compile
  kill -KILL "$starter"
  rm hold
  all_right "$starter" ''
  is "$what: compiles, $victim killed" 1 "$(wc -l <compiles)"
}

hip() (
  what=HIP
  . "$here/unit/hip_fixture.sh"
  real=$(command -v hipcc)
  # the device's pass of one kernel, and no other call
  { printf '#!/bin/sh\ncase " $* " in *" -fms-extensions "*) ;; *) exec %s "$@" ;; esac\n' "'$real'" && slow "$real"; } >hipcc
  chmod +x hipcc
  export CK_JIT_HIPCC=$T/hipcc
  two_units
  right='a0 0 ' wrong='a0 98 a0 0 ' entries=1 without='*.1306fdf6fa8dd5fd.so'
  launch() {
    HIPRT_LOG=$T/log.${PROCESS-} LD_LIBRARY_PATH=$T/hip exec ./main a0 a0
  }
  robust
)
cuda() (
  what=CUDA
  . "$here/unit/cuda_units_fixture.sh"
  cat >a.cu <<'C'
__global__ void k(int *p) { *p = 1; }
__global__ void other(int *p) { *p = 2; }
extern "C" int a(int which, int *p) { if (which) other<<<1, 1>>>(p); else k<<<1, 1>>>(p); return cudaGetLastError(); }
C
  cat >main.cpp <<'C'
#include <cstdio>
extern "C" int a(int, int *);
int main() { for (int i = 0; i < 2; i++) printf("%d\n", a(0, nullptr)); }
C
  as_build nvcc -O1 -arch=sm_90 -Xcompiler -fPIC -c a.cu -o a.o || fail "a.cu: $(cat err)"
  as_build c++ -shared -o liba.so a.o -Lcudart -lcudart || fail "link: $(cat err)"
  g++ main.cpp -o main -L. -la -Lcudart -lcudart -Wl,-rpath,"$T"
  # a compile begins by asking nvcc for the steps of a unit of its own
  mkdir held
  { printf '#!/bin/sh\ncase " $* " in *"/unit.cu "*) ;; *) exec "%s" "$@" ;; esac\n' "$nvcc" && slow "$nvcc"; } >held/nvcc
  chmod +x held/nvcc
  export CK_JIT_NVCC=$T/held/nvcc
  right='0 ' wrong='98 0 ' without='' entries=2 # the front end's and the kernel's
  launch() {
    CUDART_LOG=$T/log.${PROCESS-} LD_LIBRARY_PATH=$T/cudart exec ./main
  }
  robust
)
hip
rm -rf "${T:?}"/*
cuda
