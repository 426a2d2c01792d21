# names_fixture.sh - the road of a kernel with odd names everywhere: source it behind common.sh.
#
#   road NAME [BLOB [SOURCE…]]   recorded, linked, called for the first time and again, listed, removed and built ahead: with
#                       NAME in the build's directory (the root), work directory, macros, include directory, objects, library
#                       and cache directory. BLOB: the stem (default: NAME); SOURCE…: the words of the source (BLOB.cpp)
#
# The compiler is the C++ compiler, started without a shell; Debian's hipcc is a script that hands its words to one. A
# file called pwned, wherever it turns up, says that a name was run.
# shellcheck shell=sh
need c++ cc python3
unset CK_JIT_ROOT CK_JIT_BASE CK_JIT_NAME CK_JIT_MANIFEST CK_JIT_ARCH CK_JIT_RUNTIME_SRC CK_JIT_VERBOSE CK_JIT_IS_FWD
export CK_JIT_KFD_ROOT="$T/no-gpus"
fake_home "$T/home" "link=$B/libexec/ckjit/ckjit-link"
cxx=$T/home/bin/c++
cat >"$T/program.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
  void *h = dlopen(argv[argc - 1], RTLD_NOW);
  int (*call)(void) = h ? (int (*)(void))dlsym(h, "call") : NULL;
  if (!call) return fprintf(stderr, "%s\n", dlerror()), 3;
  printf("%d\n", call());
}
END
cc "$T/program.c" -o "$T/program" -ldl

# quietly WHAT COMMAND…: its output only where it fails
quietly() {
  what_=$1
  shift
  "$@" >"$T/said" 2>&1 || fail "$what_ ($name): $(cat "$T/said")"
}

# prebuild COMMAND…: with the manifest of the link step
prebuild() {
  "$B/bin/ckjit-prebuild" "$@"
}

# answers WHAT LIBRARY: the kernel is called and gives 42
answers() {
  [ "$("$T/program" "$2" 2>"$T/said")" = 42 ] || fail "$1 ($name): $(cat "$T/said")"
}

road() {
  name=$1 stem=${2-$1}
  [ $# -lt 3 ] || shift 2
  [ $# -gt 0 ] && [ "$1" != "$name" ] || set -- "$stem.cpp"
  root=$T/$name
  mkdir "$root" "$root/inc $name" && cd "$root" || fail "no directory $name"
  echo '#pragma once' >"$root/inc $name/$name.hpp"
  printf 'struct args { int n; };\ntemplate <int N> int call_(args);\n' >>"$root/inc $name/$name.hpp"
  cat >"./$stem.cpp" <<END
#include "kernel.hpp"
template <> int call_<1>(args a) { return a.n * FACTOR + 1 + (sizeof TEXT > 1); }
END
  printf '#include "kernel.hpp"\nextern "C" int call() { return call_<1>(args{4}); }\n' >host.cpp
  ln -s -- "./$name.hpp" "inc $name/kernel.hpp"
  text=$(printf %s "$name" | sed 's/[\\"]/\\&/g' | tr '\n' ' ')
  export CK_JIT_TMP_DIR="$root/work $name" CK_JIT_CACHE_DIR="$T/cache $name" CK_JIT_BASE="$root" CK_JIT_NAME="$name"

  # recorded
  quietly blob "$cxx" -fPIC "-Iinc $name" -DFACTOR=10 "-DTEXT=\"$text\"" -MD -MF "./$name.d" -c "$@" -o "./$name.o"
  grep -aq '"kind":"blob"' "./$name.o" || fail "$name: not a stub"
  [ -s "./$name.d" ] || fail "$name: no depfile"
  quietly host "$cxx" -fPIC "-Iinc $name" -c host.cpp -o host.o
  mkdir "out $name"
  # linked
  quietly link "$cxx" -shared "./$name.o" host.o -o "out $name/lib$name.so"
  grep -q '1 blob is lazy' "$T/said" || fail "$name: $(cat "$T/said")"
  # called for the first time, and from the cache
  answers 'first call' "$root/out $name/lib$name.so"
  entry="$CK_JIT_CACHE_DIR/$stem.so"
  [ -e "$entry" ] || fail "$name: no entry in $(ls -A "$CK_JIT_CACHE_DIR")"
  CK_JIT_CXX=/nonexistent CK_JIT_HIPCC=/nonexistent answers 'second call' "$root/out $name/lib$name.so"

  # ahead of the first call, by stem, by base name and by path
  set -- "$CK_JIT_TMP_DIR"/lib*/ck_jit_manifest.json
  [ -e "$1" ] || fail "$name: no manifest in $CK_JIT_TMP_DIR"
  export CK_JIT_MANIFEST="$1"
  [ "$(prebuild list)" = "$stem" ] || fail "$name: listed as $(prebuild list)"
  quietly clean prebuild clean -- "$stem"
  [ ! -e "$entry" ] || fail "$name: clean left it"
  quietly build prebuild build -- "$stem"
  [ -e "$entry" ] || fail "$name: not built by its stem: $(cat "$T/said")"
  quietly clean prebuild clean "$entry"
  [ ! -e "$entry" ] || fail "$name: clean by the entry's path left it"
  quietly build prebuild build -- "$stem.cpp"
  [ -e "$entry" ] || fail "$name: not built by its base name: $(cat "$T/said")"
  CK_JIT_CXX=/nonexistent CK_JIT_HIPCC=/nonexistent answers 'after prebuild' "$root/out $name/lib$name.so"
  quietly clean prebuild clean --all

  # from another root, by hand
  cd "$T" || fail "$T"
  mv "$root" "$T/moved $name"
  root="$T/moved $name"
  export CK_JIT_ROOT="$root" CK_JIT_MANIFEST="$root/${CK_JIT_MANIFEST#"$T/$name/"}"
  answers 'moved' "$root/out $name/lib$name.so"
  quietly 'by hand' "$B/bin/ckjit-compile" --manifest "$CK_JIT_MANIFEST" --root "$root" --blob "$stem" --output "$T/by hand $name.so"
  unset CK_JIT_ROOT CK_JIT_MANIFEST CK_JIT_BASE CK_JIT_NAME CK_JIT_TMP_DIR
  [ -z "$(find "$T" -name 'pwned*')" ] || fail "$name was run"
}
