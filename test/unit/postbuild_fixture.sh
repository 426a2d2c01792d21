# postbuild_fixture.sh - small libraries of blobs, linked through a fake home with the real hipcc: source it behind common.sh.
#
# The kernels are plain C++ (-x c++), because HIP's headers would take two seconds a compile. The test works in $T.
# shellcheck shell=sh disable=SC2034,SC1091
need c++ readelf ar
cd "$T" || exit
export CK_JIT_CACHE_DIR="$T/cache" CK_JIT_KFD_ROOT="$T/no-gpus"
need hipcc
"$B/bin/ckjit-build" home --dir "$T/home" >"$T/exports" 2>"$T/home.log" || fail "no fake home: $(tail -n 1 "$T/home.log")"
work=$T/home/work
need_hipcc

# as_build COMMAND...: as the user's build would run it; what it says on standard error is in $T/err
as_build() (
  . "$T/exports"
  "$@" 2>"$T/err"
)

# objects NAME...: NAME.o of NAME.cpp, in the fake home
objects() {
  for name_; do
    as_build hipcc -x c++ -fPIC -fvisibility=hidden -I. -c "$name_.cpp" -o "$name_.o" || fail "$name_.cpp: $(cat err)"
  done
}

# link OUTPUT WORDS...: a shared library, by hipcc in the fake home. The summary is in $T/err
link() {
  out_=$1
  shift
  as_build hipcc -shared -o "$out_" "$@" || fail "$out_: $(cat err)"
}

# says TEXT: it is in what the last command of the build said
says() {
  grep -qF -e "$1" err || fail "no '$1' in: $(cat err)"
}

# refused TEXT COMMAND...: the build's COMMAND fails with status 1 and says TEXT
refused() {
  text_=$1 status_=0
  shift
  as_build "$@" || status_=$?
  [ $status_ = 1 ] || fail "$*: status $status_: $(cat err)"
  says "$text_"
}

cat >api.hpp <<'END'
#pragma once
#include <string>
struct args { double a[40]; int n; };
template <int N, bool B> struct traits {};
template <class T> int fwd(const args& x, args y);
template <class T> std::string name(int x);
extern "C" __attribute__((visibility("default"))) int call(int kernel, char* text);
END

# kernel N [FACTOR]: kN.cpp, a blob of two functions
kernel() {
  cat >"k$1.cpp" <<END
#include "api.hpp"
using trait = traits<$1, true>;
template<> int fwd<trait>(const args& x, args y) { return x.n * ${2:-$1} + y.n; }
template<> std::string name<trait>(int x) { return "kernel $1, whose name is too long to be in place, " + std::to_string(x); }
END
}

# host N...: host.cpp, whose call() calls these kernels: call(N, text) is 100 N + 1 by the kernel as it was written
host() {
  {
    printf '#include "api.hpp"\n#include <cstring>\n#include <stdexcept>\nint call(int k, char* text) {\n'
    printf '  args x{{}, 100}, y{{}, 1};\n  try {\n'
    for n_; do
      echo "    if (k == $n_) { strcpy(text, name<traits<$n_, true>>(k).c_str()); return fwd<traits<$n_, true>>(x, y); }"
    done
    printf '  } catch (const std::runtime_error& e) { strcpy(text, e.what()); return -2; }\n  return -1;\n}\n'
  } >host.cpp
}

program_of_it() {
  c++ -O0 program.cpp -ldl "$@"
}
cat >program.cpp <<'END'
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
int main(int argc, char** argv) {
  void* h = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!h) return fprintf(stderr, "%s\n", dlerror()), 3;
  auto call = (int (*)(int, char*))dlsym(h, "call");
  for (int i = 2; i < argc; i++) {
    static char text[100000];
    int r = call(atoi(argv[i]), text);
    printf("%d %s\n", r, text);
  }
}
END
once_file program "$(cat program.cpp)" program_of_it

# calls LIBRARY N...: what call() gives for each kernel
calls() {
  lib_=$1
  shift
  case $lib_ in /*) ;; *) lib_=$T/$lib_ ;; esac
  ./program "$lib_" "$@"
}

# right LIBRARY N...: each kernel gives what it should
right() {
  lib_=$1
  shift
  calls "$lib_" "$@" >got || fail "$lib_ cannot be called"
  for n_; do
    echo "$((100 * n_ + 1)) kernel $n_, whose name is too long to be in place, $n_"
  done >want
  cmp -s got want || fail "$lib_: got $(cat got)"
}
