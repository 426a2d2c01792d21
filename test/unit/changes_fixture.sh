# changes_fixture.sh - a library of one kernel, built by a toolchain that is made to be changed: source it behind common.sh.
#
# The toolchain is $T/tc, a link to $T/v1. Its parts are small programs and files, and each has a number: hipcc, a script that starts
# llvm/clang, an ELF that loads libLLVM and libclang-cpp, asks lld and clang-offload-bundler for theirs, adds those of the bitcode that
# hipcc hands it, and has g++ compile with the sum as TOOLS. The headers of its implicit directories have numbers as well. All are 0
# when the library is linked. So the kernel's result says which toolchain has made it, whatever its build id says, and section .comment
# is the same for all.
#
# changes TAG: each row of the table below whose first word has TAG, in a cache of its own:
#
#     variant   after the change the kernel is what the changed toolchain makes of it, under a build id of its own; the next process
#               finds that without compiling; when the change is taken back the kernel is the library's own again
#     same      the kernel is the library's own, under the library's own build id
#     refused   no kernel, but an error that has each of these words
#
# A compile of the kernel adds its process id to $T/ran, waits while there is a file $T/hold, and then fails if there is $T/fail: it takes that
# away and prints it.
#
# shellcheck shell=sh disable=SC2034,SC2154,SC1091
need cc c++ readelf
cd "$T" || exit
export CK_JIT_CACHE_DIR="$T/cache" CK_JIT_KFD_ROOT="$T/no-gpus"
cxx=$(command -v c++)

table() {
  cat <<'END'
quick same    | nothing                                                     | :
quick same    | time stamps of all of it                                    | find v1 -exec touch -h {} +
quick same    | a copy of it elsewhere, and the first is gone               | mv v1 v3 && ln -sfn v3 tc
all   same    | a copy of it elsewhere, named by CK_JIT_HIPCC               | cp -a v1 v3 && use v3/bin/hipcc
all   same    | a file of the toolchain that no compile uses                | echo 1 >v1/lib/unused.so
quick same    | a library that is none of the compiler's (as libc is)       | number v1/lib/libother.so 1
all   same    | the host's linker                                           | echo '# 2' >>v1/bin/ld
all   same    | bitcode that is not linked, put beside                      | echo 1 >v1/bitcode/later.bc.off
all   same    | LD_LIBRARY_PATH of the job has another libLLVM              | mkdir other && library other/libLLVM.so 1 && export LD_LIBRARY_PATH="$T/other"
all   same    | HIP_CLANG_PATH of the job has another clang                 | mkdir other && program other/clang 1 && export HIP_CLANG_PATH="$T/other"
all   same    | PATH of the job has other programs in front                 | mkdir other && program other/clang 1 && number other/lld 1 && export PATH="$T/other:$PATH"
all   same    | CPATH of the job has another header                         | mkdir other && header other/number.hpp 1 && export CPATH="$T/other"
quick same    | a wrapper that does nothing, named by CK_JIT_HIPCC          | wrapper other '"$@"' && use other
quick variant | hipcc                                                       | sed -i 's/driver=0/driver=1/' v1/bin/hipcc
quick variant | clang                                                       | program v1/llvm/clang 1
all   variant | clang, with the size and time stamp of the old one          | touch -r v1/llvm/clang ref && program v1/llvm/clang 1 && touch -r ref v1/llvm/clang
all   variant | lld                                                         | number v1/llvm/lld 1
all   variant | clang-offload-bundler                                       | number v1/llvm/clang-offload-bundler 1
quick variant | libLLVM                                                     | library v1/lib/libLLVM.so 1
all   variant | libclang-cpp                                                | library v1/lib/libclang-cpp.so 1
quick variant | a libLLVM in front, in a directory that is searched earlier | mkdir v1/lib-first && library v1/lib-first/libLLVM.so 1
all   variant | the same, and the driver does not say what it runs          | : >v1/quiet && mkdir v1/lib-first && library v1/lib-first/libLLVM.so 1
all   variant | the device library                                          | echo 1 >v1/bitcode/ocml.bc
all   variant | the other bitcode                                           | echo 1 >v1/bitcode/oclc.bc
quick variant | bitcode added, which is linked                              | echo 1 >v1/bitcode/new.bc
all   variant | bitcode removed, and another is linked in its place         | rm v1/bitcode/ocml.bc && mkdir v1/bitcode/2 && echo 1 >v1/bitcode/2/ocml.bc
quick variant | the toolchain is a link, turned to another version          | cp -a v1 v2 && program v2/llvm/clang 1 && ln -sfn v2 tc
all   variant | the same, and only the device library differs               | cp -a v1 v2 && echo 1 >v2/bitcode/ocml.bc && ln -sfn v2 tc
all   variant | the same, and only the driver differs                       | cp -a v1 v2 && sed -i 's/driver=0/driver=1/' v2/bin/hipcc && ln -sfn v2 tc
all   variant | the same, and only a header differs                         | cp -a v1 v2 && header v2/include/number.hpp 1 && ln -sfn v2 tc
all   variant | its llvm is a link, turned to another version               | cp -a v1/llvm v1/llvm-2 && number v1/llvm-2/lld 1 && mv v1/llvm v1/llvm-1 && ln -s llvm-2 v1/llvm
all   variant | clang is a link, turned to another version                  | program v1/llvm/clang-2 1 && ln -sf clang-2 v1/llvm/clang
all   variant | libLLVM is a link, turned to another version                | library v1/lib/libLLVM.so.2 1 && ln -sf libLLVM.so.2 v1/lib/libLLVM.so
all   variant | a clang that hipcc prefers is installed                     | mkdir v1/llvm-new && cp -a v1/llvm/. v1/llvm-new/ && program v1/llvm-new/clang 1
quick variant | a header put in front, in an implicit directory             | mkdir v1/include-first && header v1/include-first/number.hpp 1
all   variant | the same, and what it includes is the old one               | mkdir v1/include-first && echo '#include_next <number.hpp>' >v1/include-first/number.hpp && echo '#undef NUMBER' >>v1/include-first/number.hpp && echo '#define NUMBER 1' >>v1/include-first/number.hpp
quick variant | a header that __has_include sees                            | header v1/include/bonus.hpp 1 BONUS
quick variant | a gcc added                                                 | mkdir -p v1/gcc/13/include && header v1/gcc/13/include/gcc.hpp 1 GCC
all   variant | the gcc removed, and there is an older one                  | mv v1/gcc/12 v1/gcc/11 && header v1/gcc/11/include/gcc.hpp 1 GCC
quick variant | a listed header                                             | header v1/include/number.hpp 1
all   variant | a listed header removed, and found elsewhere                | rm v1/include/number.hpp && mkdir v1/include-last && header v1/include-last/number.hpp 1
all   variant | a listed header is a directory, and another is found        | rm v1/include/number.hpp && mkdir v1/include/number.hpp v1/include-last && header v1/include-last/number.hpp 1
all   variant | a listed header is a link, turned to another                | header v1/include/number-2.hpp 1 && ln -sf number-2.hpp v1/include/number.hpp
all   variant | a configuration file of the driver's                        | echo 'driver=1' >v1/bin/hipcc.cfg
quick variant | a wrapper that adds an option, named by CK_JIT_HIPCC        | wrapper other '"$@" -DADDED=1' && use other
all   variant | another toolchain of the same version, by CK_JIT_HIPCC       | cp -a v1 v2 && library v2/lib/libLLVM.so 1 && use v2/bin/hipcc
all   variant | the same, and only its device library differs               | cp -a v1 v2 && echo 1 >v2/bitcode/ocml.bc && use v2/bin/hipcc
quick refused base/sub/leaf.hpp base/common/leaf.hpp | a header of the library's tree in front of another one of it | header base/sub/leaf.hpp 1 LEAF
all   refused base/common/leaf.hpp was changed | a header of the library's tree                               | header base/common/leaf.hpp 1 LEAF
END
}

# ---- the toolchain ----

# number FILE N: a program that prints N
number() {
  mkdir -p "$(dirname "$1")"
  printf '#!/bin/sh\necho %s\n' "$2" >"$1.new" && chmod +x "$1.new" && mv "$1.new" "$1"
}
# header FILE N [MACRO]
header() {
  printf '#pragma once\n#define %s %s\n' "${3-NUMBER}" "$2" >"$1"
}
# library FILE N: a shared library whose function of the library's name gives N
library() {
  name_=$(basename "$1" | sed 's/^lib\([A-Za-z]*\).*/\1/')
  [ -e "made-$name_-$2.so" ] ||
    printf 'int %s_number(void) { return %s; }\n' "$name_" "$2" |
    cc -shared -fPIC -x c - -o "made-$name_-$2.so" -Wl,-soname,"$(basename "$1" | sed 's/\.so.*/.so/')" || fail "$1"
  rm -f "$1"
  cp "made-$name_-$2.so" "$1"
}
# program FILE N: clang
program() {
  [ -e "made-program-$2" ] ||
    cc -DNUMBER="$2" -DCXX="\"$cxx\"" clang.c -o "made-program-$2" -L"$T" -l:made-LLVM-0.so -l:made-clang-0.so \
      "-Wl,--enable-new-dtags,-rpath,\$ORIGIN/../lib-first:\$ORIGIN/../lib" -Wl,--no-as-needed || fail "$1"
  rm -f "$1"
  cp "made-program-$2" "$1"
}
# wrapper FILE WORDS: a program that starts the library's hipcc with WORDS
wrapper() {
  printf '#!/bin/sh\nexec "%s" %s\n' "$T/tc/bin/hipcc" "$2" >"$1" && chmod +x "$1"
}
# use FILE: the job's compiler is that one
use() {
  export CK_JIT_HIPCC="$T/$1"
}

cat >clang.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int LLVM_number(void), clang_number(void);
static int first_number(FILE *f) {
  int n = 0;
  if (!f || fscanf(f, "%d", &n) != 1) exit(9);
  return n;
}
int main(int argc, char **argv) {
  int sum = NUMBER + LLVM_number() + clang_number(), n = 0;
  char **words = calloc((size_t)argc + 3, sizeof *words), *sum_word;
  words[n++] = (char *)CXX;
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], "-cc1"))
      ;
    else if (!strcmp(argv[i], "-mlink-builtin-bitcode"))
      sum += first_number(fopen(argv[++i], "r"));
    else if (!strcmp(argv[i], "-tool"))
      sum += first_number(popen(argv[++i], "r"));
    else if (!strcmp(argv[i], "-driver"))
      sum += atoi(argv[++i]);
    else if (!strcmp(argv[i], "hip"))
      words[n++] = "c++";
    else if (strncmp(argv[i], "--offload-", 10) && strncmp(argv[i], "-ferror-limit", 13) &&
             strcmp(argv[i], "-Xclang") && strcmp(argv[i], "-disable-llvm-passes"))
      words[n++] = argv[i];
  if (asprintf(&sum_word, "-DTOOLS=%d", sum) < 0) return 9;
  words[n] = sum_word;
  execv(CXX, words);
  return 9;
}
END
sed -i '1i #define _GNU_SOURCE' clang.c

mkdir -p v1/bin v1/llvm v1/lib v1/bitcode v1/include v1/gcc/12/include
library v1/lib/libLLVM.so 0
library v1/lib/libclang-cpp.so 0
number v1/lib/libother.so 0
program v1/llvm/clang 0
number v1/llvm/lld 0
number v1/llvm/clang-offload-bundler 0
number v1/bin/ld 0
echo 0 >v1/bitcode/ocml.bc
echo 0 >v1/bitcode/oclc.bc
header v1/include/number.hpp 0
header v1/gcc/12/include/gcc.hpp 0 GCC
cat >v1/bin/hipcc <<'END'
#!/bin/bash
top=$(dirname "$(dirname "$0")")
driver=0
quote() { printf ' "%s"' "$@" && echo; }
[ "$1" != --version ] || { echo 'toolchain 1.0'; exit; }
ask='' say=''
[ "$1" != '-###' ] || { ask=1 say=1; shift; }
[ "$1" != -v ] || { [ -e "$top/quiet" ] || say=1; shift; } # it says what it runs, and runs it
[ -z "$say" ] || printf 'toolchain clang version 1.0\nTarget: x86_64-pc-linux-gnu\n' >&2
[ ! -e "$top/bin/hipcc.cfg" ] || { . "$top/bin/hipcc.cfg"; [ -z "$say" ] || echo "Configuration file: $top/bin/hipcc.cfg" >&2; }
llvm=$top/llvm
[ ! -e "$top/llvm-new" ] || llvm=$top/llvm-new
words=()
for f in "$top"/bitcode/*.bc "$top"/bitcode/*/*.bc; do [ ! -e "$f" ] || words+=(-mlink-builtin-bitcode "$f"); done
words+=(-tool "$llvm/lld" -tool "$llvm/clang-offload-bundler" -driver $driver)
for gcc in $(ls "$top/gcc" | sort -n | tail -n 1); do words+=(-isystem "$top/gcc/$gcc/include"); done
for dir in include-first include include-last; do words+=(-isystem "$top/$dir"); done
if [ "$say" ]; then
  quote "$llvm/clang" -cc1 "${words[@]}" "$@"
  quote "$llvm/lld" -o x
  quote "$llvm/clang-offload-bundler" -output=x
  quote "$top/bin/ld" -o x
fi >&2
[ -z "$ask" ] || exit 0
END
cat >>v1/bin/hipcc <<END
case " \$* " in *" -shared "*)
  echo \$\$ >>"$T/ran"
  while [ -e "$T/hold" ]; do sleep 0.05; done
  ! mv "$T/fail" "$T/failed" 2>/dev/null || { cat "$T/failed" >&2; exit 1; }
  ;;
esac
END
echo 'exec "$llvm/clang" -cc1 "${words[@]}" "$@"' >>v1/bin/hipcc
chmod +x v1/bin/hipcc
ln -s v1 tc

# ---- the library ----

CK_JIT_HIPCC=$T/tc/bin/hipcc "$B/bin/ckjit-build" home --dir "$T/home" >exports 2>home.log || fail "no fake home: $(cat home.log)"
mkdir -p base/sub base/common
cat >base/api.hpp <<'END'
#pragma once
template <int N> int number();
extern "C" __attribute__((visibility("default"))) int call();
END
header base/common/leaf.hpp 0 LEAF
echo '#include "leaf.hpp"' >base/sub/inner.hpp
cat >base/k1.cpp <<'END'
#include "api.hpp"
#include "sub/inner.hpp"
#include <number.hpp>
#include <gcc.hpp>
#if __has_include(<bonus.hpp>)
#include <bonus.hpp>
#else
#define BONUS 0
#endif
#ifndef ADDED
#define ADDED 0
#endif
template <> int number<1>() { return 100 + TOOLS + NUMBER + GCC + BONUS + ADDED + LEAF; }
END
cat >base/host.cpp <<'END'
#include "api.hpp"
#include <cstdio>
#include <exception>
int call() {
  try {
    return number<1>();
  } catch (const std::exception &e) {
    std::printf("%s\n", e.what());
    return -1;
  }
}
END
as_build() (
  cd "$T/base" && . "$T/exports" && export CK_JIT_BASE="$T/base" && "$@" 2>"$T/err"
)
for name_ in k1 host; do
  as_build hipcc -x c++ -O2 -fPIC -Icommon -I. -c "$name_.cpp" -o "$name_.o" || fail "$name_: $(cat err)"
done
as_build hipcc -shared -o "$T/libnumber.so" k1.o host.o || fail "$(cat err)"
grep -q ': 1 blob is lazy' err || fail "$(cat err)"
cat >main.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
  void *h = dlopen(argv[1], RTLD_NOW);
  int (*call)(void) = h ? (int (*)(void))dlsym(h, "call") : 0;
  if (!call) return 3;
  printf("%d\n", call());
  return argc != 2;
}
END
once_file main "$(cat main.c)" sh -c 'cc main.c -ldl "$@"' -
mv base base.kept && cp -a base.kept base
mv v1 v1.kept

# ---- rows ----

# restore: all as it was
restore() {
  rm -rf v1 v2 v3 other tc base ref
  cp -a v1.kept v1 && cp -a base.kept base && ln -s v1 tc
}
# called: what a process that calls the kernel says, as $said; $ran is how many compiles there were
called() {
  : >ran
  CK_JIT_VERBOSE=${LOUD-} ./main "$T/libnumber.so" >said 2>said.err || :
  said=$(tail -n 1 said) ran=$(wc -l <ran)
}
# ids: the build ids in the cache, a line each
ids() {
  for file_ in cache/*.so; do
    [ ! -e "$file_" ] || readelf -n "$file_" | sed -n 's/.*Build ID: //p'
  done
}
# is WHAT WANTED GOT
is() {
  [ "$2" = "$3" ] || {
    rm -rf cache.failed && cp -a cache cache.failed 2>/dev/null
    fail "$row: $1: expected '$2', got '$3': $(cat said said.err)"
  }
}
try_same() {
  eval "$1"
  called
  is 'result' 100 "$said"
  is 'build id' "$own" "$(ids)"
}
try_variant() {
  (
    eval "$1"
    called
    is 'result after the change' 101 "$said"
    ids >changed
    is 'entries' 1 "$(wc -l <changed)"
    [ "$(cat changed)" != "$own" ] || fail "$row: the changed result has the library's own build id"
    is 'key' "$(echo "$own" | cut -c 1-32)" "$(cut -c 1-32 changed)"
    called
    is 'result of the second process' 101 "$said"
    is 'compiles of the second process' 0 "$ran"
  ) || exit 1
  restore
  called
  is 'result when the change is taken back' 100 "$said"
  is 'compiles then' 1 "$ran"
  is 'its build id' "$own" "$(ids | grep -vxF "$(cat changed)")"
  called
  is 'compiles when it is called again' 0 "$ran"
}
# try_refused CHANGE WORD...
try_refused() {
  eval "$1"
  shift
  called
  is 'result' -1 "$said"
  for word_; do
    grep -qF -e "$word_" said || fail "$row: no '$word_' in: $(cat said)"
  done
  is 'entries' '' "$(ids)"
  restore
  called
  is 'result when the change is taken back' 100 "$said"
}

changes() {
  tag_=$1 least_=$2
  restore
  row='the library as it is'
  called
  is 'result' 100 "$said"
  own=$(ids)
  tried=0
  table | grep -e "^$tag_" >rows
  while IFS='|' read -r want row change <&3; do
    row=$(echo "$row" | sed 's/^ *//; s/ *$//')
    # shellcheck disable=SC2086 # words
    set -- $want
    shift
    kind_=$1
    shift
    rm -rf cache
    restore
    case $kind_ in
    same) (try_same "$change") || exit 1 ;;
    variant) try_variant "$change" ;;
    refused) (try_refused "$change" "$@") || exit 1 ;;
    *) fail "a row of another kind: $kind_" ;;
    esac
    tried=$((tried + 1))
  done 3<rows
  [ "$tried" -ge "$least_" ] || fail "only $tried rows"
}
