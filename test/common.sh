# common.sh - what the test scripts share. Source it first:
#
#     . "${0%/*}/common.sh"
#
# B is the build directory, T an empty directory of the test's own, removed at its end. Exit status 0 is passed, 77 skipped,
# everything else failed.
# shellcheck shell=sh disable=SC2034
set -eu
export LC_ALL=C
here=$(cd "${0%/*}" && pwd)
B=$(cd "${B:-$here/../build}" && pwd)
T=$(mktemp -d "${TMPDIR:-/tmp}/ckjit-test.XXXXXX")
trap 'rm -rf "$T"' EXIT
trap 'exit 1' HUP INT TERM
unset CK_JIT_HIPCC CK_JIT_CXX CK_JIT_TMP_DIR MAX_JOBS
export XDG_DATA_HOME="$T/.data" # not the user's own fake homes, among which commands look for a library
export CK_JIT_WARM=0 # tests count compiles; those of what is compiled ahead of its call unset it
# A busy machine makes any compile one of 5 s: what is said of it then is the business of two tests.
export CK_JIT_QUIET=1
export CK_JIT_SUMMARY=1 # of each link all, for tests to look at
said_seed_=

fail() {
  echo "${0##*/}: $*${said_seed_:+ (SEED=$said_seed_ does it again)}" >&2
  exit 1
}

skip() {
  echo "${0##*/}: skipped: $*" >&2
  exit 77
}

# need COMMAND...: skip the test on a machine that lacks one, and say what has it
need() {
  for command_ in "$@"; do
    command -v "$command_" >/dev/null && continue
    package_=$(awk -v command="$command_" '$1 ~ /^[a-z]/ { for (n = 3; n <= NF; n++) if ($n == command) print $2 }' "${here:?}/packages/table")
    skip "no $command_ here: apt-get install ${package_:-$command_}"
  done
}

# one_processor "$0" "$@": run the test on one processor, from its beginning
one_processor() {
  [ "$(nproc)" = 1 ] && return
  need taskset
  rm -rf "$T"
  exec taskset -c "$(taskset -cp $$ | sed 's/.*[ ,-]//')" "$@"
}

# seed: a test that makes random things makes others each time. $SEED begins them; it is said, and set by hand it makes the same again
seed() {
  SEED=${SEED:-$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')} said_seed_=$SEED
  export SEED
  echo "SEED=$SEED"
}

# await WHAT COMMAND...: wait until the command succeeds. It gives up after 6,000 tries with a moment between them, at least five
# minutes: what goes on gets there on a machine however busy, for then the tries take longer as well.
await() {
  what_=$1 tries_=0
  shift
  until "$@"; do
    tries_=$((tries_ + 1))
    [ $tries_ -lt 6000 ] || fail "waited in vain: $what_"
    sleep 0.05
  done
}

# is WHAT WANTED FOUND
is() {
  [ "$2" = "$3" ] || fail "$1: expected '$2', found '$3'"
}

# has WHAT TEXT FILE: TEXT, not a pattern, is in FILE
has() {
  grep -qF -e "$2" "$3" || {
    cat "$3"
    fail "$1: '$2' is not in it"
  }
}

# lacks WHAT PATTERN FILE [GREP-OPTION…]: no line of FILE matches; of standard input, if it is -; of the files in it, for a directory with -r.
# Nothing is found in what was never written, either: without a byte to look at it fails as well. So a test says by this, and not by
# a grep, that something is not there (test/negative-greps.sh).
lacks() {
  what_=$1 pattern_=$2 file_=$3 found_=0
  shift 3
  if [ "$file_" = - ]; then
    file_='the output' text_=$(cat)
    [ -n "$text_" ] || fail "$what_: there is no output to look for '$pattern_' in"
    text_=$(printf '%s\n' "$text_" | grep -a "$@" -e "$pattern_") || found_=$?
  else
    [ -n "$(find -L "$file_" -type f -size +0 -print -quit 2>/dev/null)" ] || fail "$what_: there is nothing in $file_ to look for '$pattern_' in"
    text_=$(grep -a "$@" -e "$pattern_" "$file_") || found_=$?
  fi
  case $found_ in
  0) fail "$what_: '$pattern_' is in $file_: $(printf '%s\n' "$text_" | head -n 20 | cut -c 1-500)" ;;
  1) ;;
  *) fail "$what_: grep ends with status $found_" ;;
  esac
}

# waiters DIR: how many processes wait for a lock of the cache DIR; waiting COUNT DIR: whether so many do
waiters() {
  [ -d "$1/.locks" ] || { echo 0 && return; }
  find "$1/.locks" -type f -printf '%i\n' | awk 'FNR == NR { lock[$1] = 1; next } / -> / { sub(/.*:/, "", $7); n += $7 in lock } END { print n + 0 }' - /proc/locks
}
waiting() {
  [ -r /proc/locks ] || skip "no /proc/locks here"
  [ "$(waiters "$2")" = "$1" ]
}

# gone PID WHAT: wait until the process is no more
gone() {
  await "process $1 is still there: $2" is_gone_ "$1"
}
is_gone_() {
  ! kill -0 "$1" 2>/dev/null || grep -qs ') Z ' "/proc/$1/stat"
}

# once NAME COMMAND...: what several tests use is made once, in $B/test/made/NAME: by the COMMAND, which is given that directory
# behind its words, and again when what stands on standard input is another than last time. $made is the directory; it is not to be
# written to. Whoever comes first makes it, the others wait.
once() {
  made=$B/test/made/$1
  shift
  mkdir -p "${made%/*}"
  key_=$(sha256sum)
  exec 9>"$made.lock"
  flock 9
  if [ "$(cat "$made/.key" 2>/dev/null)" != "$key_" ]; then
    rm -rf "$made"
    mkdir "$made"
    ("$@" "$made") >"$made.log" 2>&1 9>&- || fail "$*: $(tail -n 20 "$made.log")"
    echo "$key_" >"$made/.key"
  fi
  exec 9>&-
  touch "$made" # test/run takes away what is not used any more
}

# once_file OUTPUT KEY COMMAND...: OUTPUT is what `COMMAND... -o FILE` makes, copied from what another test has made by the same
# words and KEY: the text, or a digest, of all that it reads
once_file() {
  output_=$1 stored_=$B/test/made/${1##*/}-$(printf '%s\n' "$@" | sed 1d | sha256sum | cut -c 1-16)
  shift 2
  mkdir -p "$B/test/made"
  if [ ! -e "$stored_" ]; then
    exec 9>"$stored_.lock"
    flock 9
    [ -e "$stored_" ] || { "$@" -o "$stored_.part" && mv "$stored_.part" "$stored_"; } || fail "$*"
    exec 9>&-
  fi
  touch "$stored_"
  cp "$stored_" "$output_"
}

# need_hipcc: skip the test if there is no hipcc that compiles for gfx90a. Tried once a run; $hipcc_version is for keys
need_hipcc() {
  need hipcc
  hipcc_version=${CKJIT_TEST_HIPCC-$(hipcc --version 2>&1)}
  once hipcc try_hipcc_ <<END
$(command -v hipcc) $hipcc_version
END
  [ ! -s "$made/why" ] || skip "hipcc compiles nothing for gfx90a here: $(cat "$made/why")"
}
try_hipcc_() {
  printf '#include <hip/hip_runtime.h>\n__global__ void f() {}\n' >"$1/probe.cu"
  { hipcc '-###' -x hip --offload-arch=gfx90a -c "$1/probe.cu" -o "$1/probe.o" >"$1/says" 2>&1 &&
    hipcc -x hip --offload-arch=gfx90a -c "$1/probe.cu" -o "$1/probe.o" >"$1/log" 2>&1; } || tail -n 1 "$1/log" >"$1/why"
}

# need_nvcc: skip the test if there is no nvcc, and none can be had. $cuda is its home, $nvcc the program
need_nvcc() {
  cuda=$("$here/toolchain/nvcc" "$B/toolchain/cuda" 2>"$T/nvcc.log") ||
    skip "no nvcc: install CUDA 12 or newer, or let pip reach NVIDIA's wheels ($(tail -n 1 "$T/nvcc.log"))"
  cuda=$(realpath "$cuda")
  nvcc=$cuda/bin/nvcc
}

# fake_home DIR [KEY=VALUE...]: a fake home laid out by hand, with no help of ckjit-build. Its real hipcc is a shim that
# prints its arguments and environment to DIR/real.log and ends with status $SHIM_STATUS; only where the wrapper asks
# whether it takes some options (wrapper/ask.c), it just says yes. A KEY=VALUE replaces the line of that key, or adds one.
fake_home() {
  home_=$1
  shift
  mkdir -p "$home_/bin" "$home_/real/bin" "$home_/wdir"
  for name_ in hipcc c++ hipconfig; do
    cp "$B/libexec/ckjit/ckjit-wrap" "$home_/bin/$name_"
  done
  cat >"$home_/real/bin/hipcc" <<END
#!/bin/sh
case " \$*" in
*/.options/*) for a; do case \$a in */.options/*.o) echo object >"\$a"; exit ;; esac; done ;;
esac
{ for a; do printf '<%s>\n' "\$a"; done; echo "ROCM_PATH=\${ROCM_PATH-}"; echo "PATH=\$PATH"; } >>'$home_/real.log'
exit "\${SHIM_STATUS:-0}"
END
  sed 's/real\.log/link.log/' "$home_/real/bin/hipcc" >"$home_/link"
  chmod +x "$home_/real/bin/hipcc" "$home_/link"
  {
    printf '%s\n' ckjit-home=1 "real_home=$home_/real" "real_compiler=$home_/real/bin/hipcc" "real_cxx=$(command -v c++)" \
      "work=$home_/wdir" "link=$home_/link" "home_var=ROCM_PATH=$home_/real" compiler=hipcc cxx=c++ tool=hipconfig
  } >"$home_/ckjit.conf"
  for line_; do
    case $line_ in
    real_* | work=* | link=*) sed -i "/^${line_%%=*}=/d" "$home_/ckjit.conf" ;;
    esac
    printf '%s\n' "$line_" >>"$home_/ckjit.conf"
  done
}

# blob FILE: a translation unit that is a blob by its content
blob() {
  cat >"$1" <<'END'
#include "kernel.hpp"
using trait_0 = traits<128, true>;
template <> float kernel_fwd_<trait_0>(const stream& s, args a) { return launch<trait_0>(s, a); }
END
}

# kinds DIR: the kinds in the manifest of the home DIR, one a line
kinds() {
  sed -n 's/^{"ckjit":1,"kind":"\([a-z]*\)".*\]}$/\1/p' "$1/wdir/manifest.json.ndjson"
}
