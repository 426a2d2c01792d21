#!/bin/sh
# A hipcc that is a script elsewhere, in a directory of any name: it is asked which home is its own, by clang's words, by hipconfig
# beside it, or by where its clang is. Without an answer the way on is said.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
installation
rocm "$T/rocm"
unset ROCM_PATH ROCM_HOME HIP_PATH
mkdir -p "$T/some/dir" "$T/local/bin" "$T/rocm/lib/llvm/bin"
touch "$T/local/thesis"

# script FILE WORDS: FILE, a hipcc that says WORDS when it is asked
script() {
  printf '#!/bin/sh\ncase " $* " in *" -### "*) cat <<"ANSWER"\n%s\nANSWER\nexit 1 ;; esac\nexec "%s" "$@"\n' "$2" "$T/rocm/bin/hipcc" >"$1"
  chmod +x "$1"
}
home_is() { # home_is DIR: the home that was made is before this one
  grep -qxF "real_home=$1" "$T/h/ckjit.conf" || fail "$(cat "$T/h/ckjit.conf")"
  [ "$(readlink "$T/h/include")" = "$1/include" ] && [ ! -e "$T/h/thesis" ] || fail "of another home: $(ls -l "$T/h")"
}

script "$T/some/dir/hipcc" "clang version 15
Found HIP installation: $T/rocm, version 5.2.21153"
CK_JIT_HIPCC=$T/some/dir/hipcc ckjit-build home --dir "$T/h" >"$T/exports"
home_is "$T/rocm"
grep -qxF "real_compiler=$T/some/dir/hipcc" "$T/h/ckjit.conf" || fail "$(cat "$T/h/ckjit.conf")"
# again, in the shell of that build, where the clang finds the fake home
script "$T/some/dir/hipcc" "Found HIP installation: $T/h, version 5.2.21153"
(
  eval "$(cat "$T/exports")"
  CK_JIT_HIPCC=$T/some/dir/hipcc ckjit-build home --dir "$T/h" >/dev/null
)
home_is "$T/rocm"

# on the PATH, in a bin/ that is no home's
script "$T/local/bin/hipcc" " \"$T/rocm/lib/llvm/bin/clang-15\" \"-cc1\" \"-triple\" \"x86_64-unknown-linux-gnu\""
PATH=$T/local/bin:$PATH ckjit-build home --dir "$T/h" >/dev/null
home_is "$T/rocm"
grep -qxF "real_compiler=$T/local/bin/hipcc" "$T/h/ckjit.conf" || fail "$(cat "$T/h/ckjit.conf")"

script "$T/some/dir/hipcc" 'nothing'
printf '#!/bin/sh\n[ "$1" = --rocmpath ] && printf %%s "%s"\n' "$T/rocm" >"$T/some/dir/hipconfig" && chmod +x "$T/some/dir/hipconfig"
CK_JIT_HIPCC=$T/some/dir/hipcc ckjit-build home --dir "$T/h" >/dev/null
home_is "$T/rocm"
rm "$T/some/dir/hipconfig"
CK_JIT_HIPCC=$T/some/dir/hipcc ROCM_PATH=$T/rocm ckjit-build home --dir "$T/h" >/dev/null
home_is "$T/rocm"
CK_JIT_HIPCC=$T/some/dir/hipcc ckjit-build home --dir "$T/h" --rocm "$T/rocm" >/dev/null
home_is "$T/rocm"

refused 1 "$T/some/dir/hipcc: cannot tell which ROCm this compiler belongs to; set ROCM_PATH" \
  env CK_JIT_HIPCC="$T/some/dir/hipcc" ckjit-build home --dir "$T/none"
[ ! -e "$T/none" ] || fail 'something was made'
