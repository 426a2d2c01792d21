# cuda_fixture.sh - examples/mini-flash through a fake CUDA home, by a real nvcc: source it behind common.sh.
#
# What several tests use is made once, and again when the example, the compiler or the programs change:
# toolkit/, a home whose nvcc finds counting shims for its tools; home/, a fake home of it; mini/, mini-flash built there.
# shellcheck shell=sh disable=SC2034,SC2154
need python3 c++ readelf
unset CUDA_HOME CUDA_PATH CUDAToolkit_ROOT CUDACXX CUDAHOSTCXX CXX NVCC_APPEND_FLAGS NVCC_PREPEND_FLAGS CK_JIT_NVCC CK_JIT_PER_KERNEL CK_JIT_BASE
export HOME="$T" # the one variable of a job that a compiler is given as it is
export PYTHONDONTWRITEBYTECODE=1 CK_JIT_CACHE_DIR="$T/cache"
mini_flash=$(cd "${here:?}/../examples/mini-flash" && pwd)
need_nvcc
export LD_LIBRARY_PATH="$cuda/lib64"

# tools NAME=VALUE…: what the tools below go by
tools() {
  printf '%s\n' "$@" >"$T/tools.settings"
  for word_; do [ "${word_%%=*}" != TOOL_LOG ] || TOOL_LOG=${word_#*=}; done
}

# tool FILE PROGRAM: a shim for one of nvcc's tools. By the file tools.settings in the home directory it adds its name to $TOOL_LOG (cicc-of-stub for a stub), fails if it is $TOOL_FAIL, and with
# TOOL_CUBINS=DIR keeps what ptxas makes. With TOOL_SLEEP=SECONDS the device's front end
# takes so much longer for text that has bodies, and with TOOL_BURN=TOOL that one takes half a second of a processor more. With TOOL_SLEEP=host the
# front end takes as long as there is no object of the host's code (twenty minutes at most).
tool() {
  cat >"$1" <<END2
#!/bin/sh
[ ! -e "\$HOME/tools.settings" ] || . "\$HOME/tools.settings"
case " \$*" in
*without-bodies.ii*) name='${1##*/}-of-stub' ;; # only where the stub is not ckjit's and the front end is slow (compile/unit/late.c): on a busy machine
*) name='${1##*/}' ;;
esac
[ -z "\${TOOL_LOG-}" ] || echo "\$name" >>"\$TOOL_LOG"
case "\${TOOL_SLEEP:-0}"'${1##*/}'" \$*" in
0* | *cicc*without-bodies.ii*) ;;
host*cicc\ -lgenfe*)
  for out; do :; done
  n=0
  while [ \$n -lt 12000 ] && [ ! -e "\${out%/*}/host.o" ]; do sleep 0.1; n=\$((n + 1)); done ;;
*cicc\ -lgenfe*) sleep "\$TOOL_SLEEP" ;;
esac
if [ "\${TOOL_BURN-}" = '${1##*/}' ]; then
  n=0
  while [ \$n -lt 400000 ]; do n=\$((n + 1)); done
fi
[ "\${TOOL_FAIL-}" != '${1##*/}' ] || { echo '${1##*/}: told to fail' >&2; exit 7; }
if [ '${1##*/}' = ptxas ] && [ -n "\${TOOL_CUBINS-}" ]; then
  '$2' "\$@" || exit
  out=
  for a; do [ "\$out" != - ] || out=\$a; [ "\$a" != -o ] || out=-; done
  exec cp "\$out" "\$TOOL_CUBINS/\$\$.cubin"
fi
exec '$2' "\$@"
END2
  chmod +x "$1"
}

# toolkit DIR: a home in DIR with nvcc itself, shims for its tools, and links to all else of $cuda
toolkit() {
  mkdir -p "$1/bin" "$1/nvvm/bin"
  for file_ in "$cuda"/* "$cuda"/bin/* "$cuda"/nvvm/*; do
    [ -e "$1/${file_#"$cuda"/}" ] || ln -s "$file_" "$1/${file_#"$cuda"/}"
  done
  rm "$1/bin/nvcc"
  cp "$cuda/bin/nvcc" "$1/bin/nvcc"
  for name_ in 'bin/cudafe++' bin/ptxas bin/fatbinary nvvm/bin/cicc; do
    rm -f "${1:?}/$name_"
    tool "$1/$name_" "$cuda/$name_"
  done
}

# through HOME COMMAND...: the command, as its builder would run it with the fake home HOME
through() {
  fake_=$1
  shift
  env CUDA_HOME="$fake_" CUDA_PATH="$fake_" CUDAToolkit_ROOT="$fake_" CXX="$fake_/bin/ckjit-cxx" CUDACXX="$fake_/bin/nvcc" \
    CUDAHOSTCXX="$fake_/bin/ckjit-cxx" \
    PATH="$fake_/bin:$PATH" "$@"
}

build_mini() {
  toolkit "$1/toolkit" && CUDA_HOME="$1/toolkit" "$B/bin/ckjit-build" home --dir "$1/home" --profile cuda &&
    cp -r "$mini_flash" "$1/mini" && through "$1/home" make -C "$1/mini" build/libmini_flash.so &&
    c++ -O1 -std=c++17 -I"$mini_flash/src" -I"$cuda/include" "$here/cuda/calls.cpp" -o "$1/calls" -L"$1/mini/build" -lmini_flash \
      -L"$cuda/lib64" -lcudart
}

# mini: $made with all that is above and $made/calls, test/cuda/calls.cpp. Not to be written to.
mini() {
  {
    echo "$cuda"
    "$cuda/bin/nvcc" --version
    find "$mini_flash" "$B/bin" "$B/libexec" "$B/share/ckjit" "$here/unit/cuda_fixture.sh" "$here/cuda/calls.cpp" -type f -exec sha256sum {} + | sort
  } >"$T/key"
  once cuda build_mini <"$T/key"
  # one GPU, so that the calls of a machine without one are those of one with
  export CK_JIT_ARCH=sm_90 CUDA_VISIBLE_DEVICES=
}

# kinds: test/cuda/kinds in $T/src, a library of it and its ./main, which calls a blob by its number; $kinds_flags are nvcc's for all of them
kinds() {
  mini
  cd "$T" || exit
  cp -r "$here/cuda/kinds" src
  CUDA_HOME="$made/toolkit" "$B/bin/ckjit-build" home --dir "$T/h" --profile cuda >/dev/null
  kinds_flags='-O3 -std=c++17 --extended-lambda -Xcompiler -fPIC'
  for name_ in linkage shared symbol lineinfo bodies debug async named either; do
    case $name_ in
    lineinfo) more_='-lineinfo --resource-usage' ;;
    debug) more_=-G ;;
    *) more_= ;;
    esac
    # shellcheck disable=SC2086 # words
    through "$T/h" nvcc $kinds_flags $more_ -gencode arch=compute_90,code=sm_90 -c src/kinds_$name_.cu -o $name_.o || fail "$name_"
  done
  through "$T/h" c++ -shared ./*.o -o libkinds.so -L"$cuda/lib64" -lcudart >out 2>&1 || fail "$(cat out)"
  grep -q "^ckjit-link: libkinds.so: 9 blobs are lazy .* 0 compiled ahead" out || fail "$(cat out)"
  c++ -std=c++17 -I"$cuda/include" src/main.cpp -o main -L. -lkinds -L"$cuda/lib64" -lcudart
  export LD_LIBRARY_PATH="$T:$LD_LIBRARY_PATH"
}

# kind WORD: the call of ./main, which comes to CUDA's runtime, with an empty cache
kind() {
  rm -rf "$CK_JIT_CACHE_DIR"
  ./main "$1" >said 2>&1 || fail "$1: $(cat said)"
  grep -q '^-\{0,1\}[0-9]: cuda\(ErrorInsufficientDriver\|ErrorNoDevice\|Success\)$' said || fail "$1 said $(cat said)"
}

# mini_kernels: mini with counting tools, its library in $lib; $one and $other are calls of two kernels of the blob $stem
mini_kernels() {
  mini
  lib=$made/mini/build
  tools TOOL_LOG="$T/tools"
  one=0:32:0:-1:0:0:1 other=0:32:0:-1:0:1:1
  stem=mini_fwd_hdim32_fp32
}

# answers FILE…: in $T, which becomes the current directory, a fake home h and a small library: each FILE, a blob answer<traits<NUMBER>>,
# for -DNUMBER=1 and 2, and host.cpp, whose call(5) is $answers_of_5
answers() {
  cd "$T" || exit
  export CK_JIT_ARCH=sm_90 CUDA_VISIBLE_DEVICES=
  CUDA_HOME=$cuda "$B/bin/ckjit-build" home --dir "$T/h" --profile cuda >/dev/null
  printf 'template <int N> struct traits {};\ntemplate <class T> int answer(int x);\n' >api.hpp
  for file_; do
    cat >"$file_" <<'END'
#include "api.hpp"
using trait = traits<NUMBER>;
static __global__ void kernel(int *p) { *p = NUMBER; }
template <> int answer<trait>(int x) {
  if (x < 0) kernel<<<1, 1>>>(nullptr);
  return 10 * NUMBER + x;
}
END
  done
  printf '#include "api.hpp"\nextern "C" int call(int x) { return answer<traits<1>>(x) * 100 + answer<traits<2>>(x); }\n' >host.cpp
  answers_of_5=1525
}

# calls LIBRARY WORD...: test/cuda/calls.cpp on the mini-flash in directory LIBRARY; what it said: $T/said
calls() {
  library_=$1
  shift
  LD_LIBRARY_PATH=$library_:$LD_LIBRARY_PATH "$made/calls" "$@" >"$T/said" 2>&1 || fail "calls $*: $(cat "$T/said")"
}

# no_gpu N: all N calls came as far as CUDA's runtime, and no further
no_gpu() {
  is "calls that came to CUDA's runtime, of '$(cat "$T/said")'" "$1" \
    "$(grep -c ': mini-flash: .*: \(CUDA driver version is insufficient\|no CUDA-capable device\)' "$T/said")"
}

# entries: the names in the cache, one a line, .so left out
entries() {
  [ ! -d "$CK_JIT_CACHE_DIR" ] || (cd "$CK_JIT_CACHE_DIR" && ls) | sed -n 's/\.so$//p'
}

# ran TOOL: how often it was started, by $TOOL_LOG
ran() {
  grep -cxF -e "$1" "${TOOL_LOG:?}" || :
}

# refused STATUS WORDS COMMAND...: the command must end with STATUS and a message that matches WORDS
refused() {
  status_=0
  wanted_=$1 words_=$2
  shift 2
  "$@" >"$T/refused.out" 2>"$T/refused.err" || status_=$?
  [ "$status_" = "$wanted_" ] || fail "'$*' ended with status $status_, not $wanted_: $(cat "$T/refused.err")"
  grep -q -e "$words_" "$T/refused.err" || fail "'$*' did not say '$words_' but: $(cat "$T/refused.err")"
}
