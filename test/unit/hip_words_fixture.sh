# hip_words_fixture.sh - a home of ordinary units whose compiler takes hipcc's words and is g++: source it behind common.sh.
#
#   $T/h       a fake home with units=lazy
#   ./calls    the compiler's calls, one a line, without questions for its steps; `during`, if there is such a file, is run before it preprocesses
# shellcheck shell=sh disable=SC2154
need g++
export CK_JIT_UNITS=build
cd "$T" || exit
fake_home "$T/h" units=lazy
cp "$B/libexec/ckjit/ckjit-unit" h/ckjit-unit
cat >h/real/bin/hipcc <<'END'
#!/bin/bash
case " $* " in *" -### "*) exit ;; esac
echo "$*" >>calls
words=()
while [ $# -gt 0 ]; do
  case $1 in
  -Xclang)
    [ "$2" != -dependency-file ] || words+=(-MD -MF "$4")
    shift ;;
  -x) shift ;;
  --offload-* | -nogpuinc | -Qunused-arguments | -fgpu-rdc | -fuse-cuid=*) ;;
  -E) words+=("$1"); [ ! -e during ] || . ./during ;;
  *) words+=("$1") ;;
  esac
  shift
done
exec g++ -Wno-attributes -x c++ "${words[@]}"
END
