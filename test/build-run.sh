#!/bin/sh
# `ckjit run` starts a command in a fake home that nobody has to think of: one for each profile and
# set of compilers, the one that `ckjit home` uses without --dir. What home prints can be undone in
# the shell.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
installation
rocm "$T/rocm"
export XDG_DATA_HOME="$T/data" ROCM_PATH="$T/rocm"
cd "$T"
run() { ckjit-build run "$@"; }
homes() { find "$T/data/ckjit/homes" -mindepth 1 -maxdepth 1 | wc -l; }

# the variables are those that home prints, and its status is the command's
ckjit-build home >exports
home=$(echo "$T"/data/ckjit/homes/hip-*)
[ -x "$home/bin/hipcc" ] || fail "no home below XDG_DATA_HOME: $(cat exports)"
run -- sh -c 'echo "$ROCM_PATH $CXX"; command -v hipcc; exit 7' >out && fail 'the status of the command is lost'
is 'variables of the command' "$home $home/bin/ckjit-cxx
$home/bin/hipcc" "$(cat out)"
is 'homes' 1 "$(homes)"
run true || fail 'without --'
status=0
run -- "$T/no such" 2>err || status=$?
is 'no such command' 127 "$status"
has 'no such command' "cannot run '$T/no such'" err
: >"$T/plain"
status=0
run -- "$T/plain" 2>err || status=$?
is 'not executable' 126 "$status"
refused 2 'expected the command of a build' run
refused 2 "unknown option '--unitz'; did you mean '--units'" run --unitz -- true
run printf '%s\n' --units -x >out || fail "options of the command: $(cat out)"
is "the command's own options" "--units
-x" "$(cat out)"

# another set of compilers and another kind of home have homes of their own
rocm "$T/rocm2"
ROCM_PATH="$T/rocm2" run true
run --units true
is 'homes' 3 "$(homes)"
run --dir "$T/mine" sh -c 'echo "$ROCM_PATH"' >out
is '--dir' "$T/mine" "$(cat out)"
(
  unset XDG_DATA_HOME HOME
  refused 1 'HOME is not an absolute path' run true
)

# undone in the shell, also after it was done twice and its directory is gone
(
  unset CXX HIPCXX ROCM_HOME HIP_PATH
  before=$PATH
  eval "$(ckjit-build home)"
  eval "$(ckjit-build home --dir "$T/other")"
  is 'activated' "$T/other" "$ROCM_PATH"
  ckjit_deactivate
  is 'PATH' "$before" "$PATH"
  [ -z "${CXX+set}${ROCM_HOME+set}" ] || fail "CXX is still $CXX"
  command -v ckjit_deactivate && fail 'the function is still there'
  eval "$(ckjit-build home --dir "$T/gone")"
  rm -rf "$T/gone"
  ROCM_PATH="$T/rocm" ckjit-build home --dir "$T/new" >/dev/null || fail 'CXX of a removed home stops the next one'
) || exit 1

# without an option the profile is that of the compiler which is there
mkdir -p "$T/cuda/bin"
printf '#!/bin/sh\necho "#\\$ TOP=%s"\n' "$T/cuda" >"$T/cuda/bin/nvcc"
chmod +x "$T/cuda/bin/nvcc"
if ! command -v hipcc >/dev/null && [ ! -d /opt/rocm ]; then
  (unset ROCM_PATH && CUDA_HOME=$T/cuda run sh -c 'echo "$CUDA_HOME"' >out && grep -q homes/cuda- out) || fail "$(cat out)"
fi
