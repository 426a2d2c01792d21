# environment_fixture.sh - what the variables of test/environment/table point at, and how each row is tried: source it behind
# common.sh. The test defines for each family of the table that it tries
#
#   direct_FAMILY OUT VARIABLE…   the real compiler, given nothing but VARIABLE…: what it makes, in OUT. What it says is part of it
#
# shellcheck shell=sh disable=SC2154
E=$T/E
unset CK_JIT_COMPILE_ENV CK_JIT_COMPILER_LAUNCHER
# The tests' own environment has none of the table's variables but those that a shell needs.
while IFS='|' read -r family_ name_ _; do
  case $family_/$name_ in '#'* | /* | */PATH | */HOME) ;; *) unset "$name_" ;; esac
done <"$here/environment/table"

# Which rows are poison is known of Debian 12's compilers.
lax=
grep -qx 'VERSION_ID="12"' /etc/os-release && [ ! -e /sys/class/kfd ] || lax=1

# program NAME TEXT: an executable script
program() {
  printf '#!/bin/sh\n%s\n' "$2" >"$1"
  chmod +x "$1"
}

# poisons: $E
poisons() {
  mkdir -p "$E/include" "$E/bin" "$E/libs" "$E/perl/File" "$E/rocm" "$E/gcc"
  # found in place of the system's
  printf '#define POISON 1\n#include_next <climits>\n' >"$E/include/climits"
  for real_ in /usr/bin/clang /usr/bin/clang++ /usr/bin/clang-[0-9]* /usr/bin/clang++-[0-9]* /usr/bin/gcc /usr/bin/g++ /usr/bin/c++; do
    [ ! -x "$real_" ] || program "$E/bin/${real_##*/}" "exec '$real_' -DPOISON \"\$@\""
  done
  for name_ in ld as cc1plus cicc perl; do program "$E/bin/$name_" 'echo "the poisoned ${0##*/}" >&2; exit 3'; done
  program "$E/prefix" 'exec "$@" -DPOISON'
  echo 'exit 3' >"$E/shell"
  for name_ in File/Basename strict; do echo 'BEGIN { die "the poisoned module" }' >"$E/perl/$name_.pm"; done
  # no libraries: whoever takes them fails
  for name_ in libLLVM-15.so.1 libLLVM.so.1 libclang-cpp.so.15 libmpfr.so.6 libmpc.so.3 libstdc++.so libstdc++.a libm.so libgcc_s.so.1 libc.so; do
    echo 'no library' >"$E/libs/$name_"
  done
  rm "$E/libs/libgcc_s.so.1" # the job needs it, too
  cat >"$T/preload.c" <<'END'
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
unsigned la_version(unsigned v) { return v; }
__attribute__((constructor)) static void f(void) {
  char name[32] = "";
  int fd = open("/proc/self/comm", O_RDONLY);
  if (fd >= 0 && read(fd, name, sizeof name - 1) > 0 && (!strncmp(name, "clang", 5) || !strncmp(name, "cc1plus", 7)))
    _exit(3);
  close(fd);
}
END
  gcc -shared -fPIC -o "$E/preload.so" "$T/preload.c"
}

# rows FAMILY: its rows of the table as NAME|VALUE|WHY
rows() {
  sed -n "s/^$1|//p" "$here/environment/table" | sed "s|\$E|$E|g"
}

# is_poison FAMILY NAME VALUE WHY: the real compiler makes something else with it, or WHY says why not. Not both; else a line in $T/wrong
is_poison() {
  [ -e "$T/$1.clean" ] || {
    "direct_$1" "$T/$1.clean" CLEAN=1
    "direct_$1" "$T/$1.again" CLEAN=1
    cmp -s "$T/$1.clean" "$T/$1.again" || fail "$1: two compiles differ: $(diff "$T/$1.clean" "$T/$1.again" | head -n 5)"
  }
  "direct_$1" "$T/poisoned" "$2=$3"
  if cmp -s "$T/$1.clean" "$T/poisoned"; then
    [ -n "$4$lax" ] || echo "$1: the real compiler makes nothing else with $2=$3" >>"$T/wrong"
  else
    [ -z "${4%%\?*}" ] || [ -n "$lax" ] || echo "$1: the real compiler makes something else with $2=$3, though the table says: $4: $(diff "$T/$1.clean" "$T/poisoned" | head -n 5)" >>"$T/wrong"
    poisons_=$((${poisons_:-0} + 1))
  fi
}

# not_seen FAMILY VARIABLE COMMAND…: COMMAND, a first call, with all of FAMILY's variables; a compiler in VARIABLE is given none of them, however
# often it is started
not_seen() {
  of_=$1 compiler_=$2
  shift 2
  program "$T/dump" "env >'$T/seen.'\$\$; exit 3"
  rm -f "$T"/seen.*
  (
    while IFS='|' read -r name_ value_ _; do
      [ "$name_" = PATH ] || export "$name_=$value_"
    done
    export "$compiler_=$T/dump"
    "$@" >"$T/dumped" 2>&1 || :
  ) <<END
$(rows "$of_")
END
  cat "$T"/seen.* >"$T/seen" 2>/dev/null || fail "$of_: no compiler was started: $(cat "$T/dumped")"
  rows "$of_" | while IFS='|' read -r name_ value_ _; do
    case $name_ in
      PATH | HOME | LANG | TMPDIR) continue ;;  # given, with other values; HOME is the job's
      CC_PRINT_HEADERS | SUNPRO_DEPENDENCIES) value_="$value_\$" ;; # ckjit-compile asks with its own value what is read
      *) value_= ;;
    esac
    lacks "$of_: a compiler is given $name_" "^$name_=$value_" "$T/seen"
  done || exit 1
  for name_ in 'LANG=C.UTF-8' 'PATH=/'; do grep -q "^$name_" "$T/seen" || fail "$of_: a compiler is not given $name_: $(cat "$T/seen")"; done
  lacks "$of_: a compiler works in the job's TMPDIR" "^TMPDIR=$E" "$T/seen"
  return 0
}

# job N: the call of kernel N, which checks what it returns; entry N: its entry. The test defines both
job() { false; }
entry() { false; }
# tried FAMILY FIRST: each row's call, of kernel FIRST and those behind it, with the variable before any without it; each again without it, and
# with it where the entry is there already. The entries are those of $T/clean
tried() {
  n_=$2
  while IFS='|' read -r name_ value_ _; do
    for order_ in first again; do
      if (export "$name_=$value_" && job "$n_") && (job "$n_"); then :; else fail "$1: $name_=$value_ reached a compiler, $order_: $(cat "$T/got")"; fi
    done
    [ "$(entry "$n_" | sha256sum)" = "$(CK_JIT_CACHE_DIR=$T/clean entry "$n_" | sha256sum)" ] ||
      fail "$1: with $name_=$value_ the entry is another than without"
    n_=$((n_ + 1))
  done <<END
$(rows "$1")
END
}
