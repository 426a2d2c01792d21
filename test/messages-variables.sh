#!/bin/sh
# A variable whose value is none that it knows, and one whose name is misspelt, are warned of by the programs that a user starts.
# tier: check
. "${0%/*}/common.sh"
warns() { # warns TEXT VARIABLE=VALUE
  env "$2" "$B/bin/ckjit-prebuild" help list >/dev/null 2>"$T/err" && [ ! -s "$T/err" ] || fail "help: $(cat "$T/err")"
  for program in 'ckjit-prebuild list --manifest /nonexistent' 'ckjit-build quick --tmp-dir /nonexistent'; do
    # shellcheck disable=SC2086 # a program and its arguments
    env "$2" "$B"/bin/$program >"$T/out" 2>"$T/err" && fail "$program"
    if [ "$1" ]; then
      grep -qF "warning: $1" "$T/err" || fail "$2: $program: no '$1' but: $(cat "$T/err")"
    else
      lacks "$2: $program" warning "$T/err"
    fi
  done
}
warns "CK_JIT_ON_ERROR='trow': expected throw or abort; using throw" CK_JIT_ON_ERROR=trow
warns '' CK_JIT_ON_ERROR=abort
warns '' CK_JIT_ON_ERROR=
warns "CK_JIT_ON_MISS='eror': expected compile or error; using compile" CK_JIT_ON_MISS=eror
warns '' CK_JIT_ON_MISS=error
warns "CK_JIT_PCH='nope': expected 0 or 1; using 1" CK_JIT_PCH=nope
for value in 0 1 no off false OFF ''; do
  warns '' CK_JIT_PCH=$value
done
warns "CK_JIT_CACHEDIR: no such variable; did you mean CK_JIT_CACHE_DIR?" CK_JIT_CACHEDIR=/x
warns "CK_JIT_HIPC: no such variable; did you mean CK_JIT_HIPCC?" CK_JIT_HIPC=/x
warns '' CK_JIT_SOMETHING_ELSE=1
