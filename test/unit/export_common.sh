# export_common.sh - what the tests of export share, of whatever compiler: source it behind common.sh.
# shellcheck shell=sh disable=SC2034

# export ARGUMENT...: it must succeed
export_() {
  "$B/bin/ckjit-prebuild" export "$@" >"$T/export.out" 2>"$T/export.err" ||
    fail "export $* failed: $(cat "$T/export.err")"
}

# refused STATUS WORDS ARGUMENT...: export must end with STATUS, say WORDS, and leave the directory as it was
refused() {
  wanted_=$1 words_=$2 status_=0
  shift 2
  find . -mindepth 1 -printf '%p %s %T@\n' | sort >"$T/before"
  "$B/bin/ckjit-prebuild" export "$@" >"$T/export.out" 2>"$T/export.err" || status_=$?
  [ "$status_" = "$wanted_" ] || fail "'export $*' ended with $status_, not $wanted_: $(cat "$T/export.err")"
  grep -q -e "$words_" "$T/export.err" || fail "'export $*' did not say '$words_' but: $(cat "$T/export.err")"
  find . -mindepth 1 -printf '%p %s %T@\n' | sort >"$T/after"
  cmp -s "$T/before" "$T/after" || fail "'export $*' left something: $(ls -AR .)"
}

# names DIR: of the files in it, on one line
names() {
  find "$1" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort | tr '\n' ' '
}

# dlopen FILE SYMBOL N: a C program that knows nothing of ckjit calls SYMBOL(N)
dlopen() {
  [ -x "$T/dlopen" ] || {
    cat >"$T/dlopen.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int n, char **args) {
  void *lib = dlopen(args[1], RTLD_NOW);
  int (*f)(int) = lib ? (int (*)(int))dlsym(lib, args[2]) : NULL;
  if (n != 4 || !f)
    return fprintf(stderr, "%s\n", dlerror()), 1;
  return printf("%d\n", f(atoi(args[3]))), 0;
}
END
    gcc "$T/dlopen.c" -o "$T/dlopen" -ldl
  }
  env -i "$T/dlopen" "$@"
}
