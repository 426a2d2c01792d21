#!/bin/sh
# Whatever file a compile opens is an input: what the real compiler opens, seen from outside by strace, is in the library's list, or is
# listed here as known not to matter. Each kind of option and text that names a file is one blob; an edit of its file gives other code
# at the first call, at a relink, and at a rebuild with the old cache.
# tier: all
# seconds: 72
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
need strace llvm-profdata-15
export CK_JIT_BASE="$T/base"
mkdir base out && cd base
cat >value.hpp <<'C'
#pragma once
template <int N> int value();
C
O=$T/out

# blob N WORDS...: kN.cpp of standard input, compiled with these words
n=0
blob() {
  n=$((n + 1))
  mkdir -p "$O/$n"
  { echo '#include "value.hpp"'; sed "s|@D|$O/$n|g; s|@N|$n|g"; } >"k$n.cpp"
  printf '%s\n' "$@" | sed "s|@D|$O/$n|g; s|@N|$n|g" >"k$n.words"
}
returns_value() {
  blob "$@" <<'C'
template <> int value<@N>() { return VALUE; }
C
}
# put N TEXT FILE: the file of blob N
put() {
  mkdir -p "$(dirname "$O/$1/$3")"
  printf '%s\n' "$2" >"$O/$1/$3"
}
define() {
  put "$1" "#define VALUE $2" "$3"
}

# edit V: each blob's file says V
edit() {
  for i_ in 1 2 3; do define $i_ "$1" h.hpp; done
  define 4 "$1" real.hpp
  define 5 "$1" "real$1.hpp"
  put 5 "{\"version\":0,\"roots\":[{\"name\":\"$O/5/h.hpp\",\"type\":\"file\",\"external-contents\":\"$O/5/real$1.hpp\"}]}" map.yaml
  case $1 in 1) hot=0 ;; *) hot=5000 ;; esac
  printf '_Z5valueILi6EEiv\n0\n2\n%s\n%s\n' $hot $hot >"$O/6/text"
  llvm-profdata-15 merge -o "$O/6/profile" "$O/6/text"
  put 7 "$([ "$1" = 1 ] || echo 'fun:*value*')" list
  put 8 "$([ "$1" = 1 ] || echo 'fun:*value*')" list
  put 9 "_Z5valueILi9EEiv:$1:$1" profile
  [ "$1" = 1 ] || define 10 2 a/h.hpp
  [ "$1" = 1 ] || put 11 '' h.hpp
  printf "%s" "$1" >"$O/12/data"
  printf "%s" "$1" >"$O/13/data"
  put 14 ".byte 48+$1" data.s
}
blob -include @D/h.hpp <<'C'
template <> int value<@N>() { return VALUE; }
C
returns_value -imacros @D/h.hpp
returns_value -Xclang -include -Xclang @D/h.hpp
returns_value -ivfsoverlay @D/map.yaml -include @D/h.hpp
returns_value -ivfsoverlay @D/map.yaml -include @D/h.hpp
profiled='template <> int value<@N>() { volatile int r = 0; for (int i = 0; i < r; i++) r = i % 3 ? r + i * 7 : r ^ i; return 1; }'
blob -O2 -fprofile-instr-use=@D/profile <<C
$profiled
C
blob -fsanitize=signed-integer-overflow -fsanitize-trap=all -fsanitize-ignorelist=@D/list <<'C'
template <> int value<@N>() { volatile int a = 1; return a + 0; }
C
blob -fxray-instrument -fxray-never-instrument=@D/list -fxray-instruction-threshold=1 <<'C'
template <> int value<@N>() { volatile int a = 1; return a + 0; }
C
blob -O2 -mllvm -sample-profile-file=@D/profile <<C
$profiled
C
blob -I@D/a -I@D/b <<'C'
#include <h.hpp>
template <> int value<@N>() { return VALUE; }
C
blob -I@D <<'C'
#if __has_include(<h.hpp>)
#define VALUE 2
#else
#define VALUE 1
#endif
template <> int value<@N>() { return VALUE; }
C
# taken DIRECTIVE FILE: the body of a function whose value is a byte of FILE
taken() {
  printf 'int r; asm("jmp 2f\\n1: .%s \\"%s\\"\\n.balign 4\\n2: movzbl 1b(%%%%rip), %%0" : "=r"(r)); return r - 48;\n' "$1" "$2"
}
blob -O1 <<C
template <> int value<@N>() { $(taken incbin @D/data) }
C
blob -O1 -include @D/h.hpp <<'C'
template <> int value<@N>() { TAKEN }
C
put 13 "#define TAKEN $(taken incbin "$O/13/data")" h.hpp
blob -O1 <<C
template <> int value<@N>() { $(taken include @D/data.s) }
C
put 4 "{\"version\":0,\"roots\":[{\"name\":\"$O/4/h.hpp\",\"type\":\"file\",\"external-contents\":\"$O/4/real.hpp\"}]}" map.yaml
mkdir "$O/10/a"
define 10 1 b/h.hpp
edit 1

{
  printf '#include "value.hpp"\n#include <cstring>\n#include <stdexcept>\n'
  printf 'extern "C" __attribute__((visibility("default"))) int call(int k, char* text) {\n  strcpy(text, "");\n  try {\n    switch (k) {\n'
  for i in $(seq $n); do echo "    case $i: return value<$i>();"; done
  printf '    }\n  } catch (const std::runtime_error& e) { strcpy(text, e.what()); return -2; }\n  return -1;\n}\n'
} >host.cpp
words() {
  tr '\n' ' ' <"k$1.words"
}
record() {
  for i in $(seq $n); do
    # shellcheck disable=SC2046
    as_build hipcc -x c++ -fPIC -I. $(words "$i") -c "k$i.cpp" -o "k$i.o" || fail "k$i: $(cat "$T/err")"
  done
}
relink() {
  # shellcheck disable=SC2046
  as_build hipcc -shared -o "$T/liba.so" $(seq -f 'k%.0f.o' $n) host.o || fail "$(cat "$T/err")"
}
as_build hipcc -x c++ -fPIC -I. -c host.cpp -o host.o
cp "$T/program" .
record
relink
not_lazy=$(sed -n 's/.*"kind":"host".*"rule":"takes".*"-c","\(k[0-9]*\)[.]cpp".*/\1/p' "$work/manifest.json.ndjson" | tr '\n' ' ')
[ "$not_lazy" = "k12 k14 " ] || fail "not recorded: $not_lazy"
grep -q 'ahead of time.*k13\|k13.*takes in a file' "$work"/liba/summary.txt || fail "k13 is not compiled ahead of time: $(cat "$work"/liba/summary.txt)"

# ---- what the real compiler opens is listed ----
cat "$work"/liba/ck_jit_inputs/* | sed -n 's/^[ht] [0-9a-f]*\t//p' | sed "s|^{root}|$T/base|" | sort -u >"$T/listed"
for i in $(seq $n); do
  case $i in 12 | 13 | 14) continue ;; esac
  # shellcheck disable=SC2046
  strace -f -qq -e trace=open,openat,execve -e signal=none -o "$T/trace" "$(command -v hipcc)" -x c++ -fPIC -I. $(words "$i") \
    -c "k$i.cpp" -o "$T/k.o" 2>"$T/err" || fail "k$i: $(cat "$T/err")"
  # what the driver's scripts read shows in the words that they give the compiler, and those are compared
  awk '!/ = [0-9]+$/ { next }
    / execve\("/ { split($0, w, "\""); compiles[$1] = !/--version|-print-/ && w[2] ~ /(clang[^\/]*|cc1plus|as|lld|ld)$/; next }
    compiles[$1] && !/O_WRONLY|O_RDWR|O_DIRECTORY/ { split($0, w, "\""); print w[2] }' "$T/trace" | sort -u |
    while read -r file; do
      case $file in
        # the machine's: the dynamic linker's files and what it finds of the C library, which makes no code
        /proc/* | /sys/* | /dev/* | /etc/ld.so.*) continue ;;
        # the system and the toolkits that clang's driver looks for: its words are compared
        /etc/*-release | /etc/debian_version | /usr/lib/os-release | */include/cuda.h) continue ;;
        *LLVM*.so* | *clang*.so* | *lld*.so* | *comgr*.so*) ;;
        *.so | *.so.[0-9]*) continue ;;
        "k$i.cpp" | *"/k$i.cpp") continue ;; # its digest is in the key
      esac
      file=$(realpath -m "$file")
      [ -f "$file" ] && echo "$file" || :
    done | sort -u >"$T/opened"
  sed 's/.*/&/' "$T/listed" | while read -r file; do realpath -m "$file"; done | sort -u >"$T/known"
  comm -23 "$T/opened" "$T/known" >"$T/unknown"
  [ ! -s "$T/unknown" ] || fail "k$i ($(words "$i")): opened, and no input: $(cat "$T/unknown")"
done

# ---- an edit is seen ----
# got V WHAT: each blob's call gives V, or its entry is another one
ids() {
  for i in $(seq $n); do
    for file in "$T"/cache/k"$i".so "$T"/cache/k"$i".*.so; do
      [ ! -e "$file" ] || readelf -n "$file" | sed -n "s/.*Build ID: /k$i /p"
    done
  done
}
call_all() {
  (cd "$T" && ./program "$T/liba.so" $(seq $n)) >"$T/got" 2>&1 || fail "$1: $(cat "$T/got")"
}
# shows V WHAT N...: these blobs give V
shows() {
  v=$1 what=$2
  shift 2
  for i; do
    line=$(sed -n "${i}p" "$T/got")
    [ "$line" = "$v " ] || fail "$what: k$i ($(words "$i")) gives $line"
  done
}
call_all first
by_value='1 2 3 4 5 10 11'
by_code='6 7 8 9'
# shellcheck disable=SC2086
shows 1 "first" $by_value $by_code 12 13 14
ids >"$T/first"
edit 2

rm -r "$T/cache"
call_all "first call after an edit"
# shellcheck disable=SC2086
shows 2 "first call after an edit" $by_value
ids >"$T/edited"
for i in $by_code; do
  lacks "k$i ($(words "$i")) has the old code's id" "$(grep "^k$i " "$T/first")" "$T/edited" -xF
done

# what was made of the old files is there again, and is not what a new link is of
rm -r "$T/cache"
edit 1
rm -f "$O/10/a/h.hpp" "$O/11/h.hpp"
relink
call_all again
# shellcheck disable=SC2086
shows 1 "with the old files again" $by_value
edit 2
relink
call_all "relink"
# shellcheck disable=SC2086
shows 2 "relink" $by_value 13
ids | sort >"$T/relinked"
for i in $by_code; do
  [ "$(grep -c "^k$i " "$T/relinked")" = 2 ] || fail "relink: k$i ($(words "$i")) has no code of its own: $(cat "$T/relinked")"
done
rm -rf "$work"
record
relink
call_all "rebuild"
# shellcheck disable=SC2086
shows 2 "rebuild" $by_value 12 13 14
