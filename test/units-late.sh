#!/bin/bash
# A unit that defines functions, and nothing that runs or is seen before one of them is called, is compiled at the first call of
# one. Which functions are needed of it the link says, by their mangled names. Each form of definition is called from another
# object, once with the compiler itself and once with the lazy library: the results and the exported names are the same. What has
# to be made with the library is an ordinary unit, and the link says why. The units are CUDA's; with dialect=hip, as in
# units-late-hip.sh, HIP's.
# tier: check
# seconds: 60
# shellcheck disable=SC2086 # words
. "${0%/*}/common.sh"
late=1
case ${dialect:=cuda} in
cuda)
  . "$here/unit/cuda_units_fixture.sh"
  ext=cu compiler=nvcc stock=$cuda/bin/nvcc linker=c++ errors='-Werror all-warnings'
  flags='-std=c++17 -O1 -Xcompiler -fPIC -gencode arch=compute_90,code=sm_90'
  ;;
hip)
  . "$here/unit/hip_fixture.sh"
  ext=hip compiler=hipcc stock=$(command -v hipcc) linker=hipcc errors=-Werror
  flags="$small_hip -std=c++17 -O1 -fPIC -include hip/hip_runtime.h --offload-arch=gfx90a"
  units_home
  ;;
esac
recorded() { sed -n 's/.*"kind":"\([a-z]*\)","stem":"\([^"]*\)".*/\2:\1/p' home/work/manifest.json.ndjson | sort -u | xargs; }
# compile NAMES: each NAME.$ext, lazily and by the compiler
compile() {
  for name in "$@"; do
    as_build $compiler $flags -c "$name.$ext" -o "$name.o" || fail "$name.$ext: $(cat err)"
    "$stock" $flags -c "$name.$ext" -o "stock-$name.o" 2>said || fail "$name.$ext: $compiler: $(cat said)"
  done
}
host() { g++ -std=c++17 -O1 -fPIC -c "$1.cpp" -o "$1.host" || fail "$1.cpp"; }

cat >forms.h <<'C'
#include <string>
namespace ops {
int plain(int *p, const std::string &s);
int overloaded(int n);
int overloaded(double x);
template <int N> int times(int *p);
template <class T> int of(T x);
struct runner {
  int n;
  runner(int n);
  ~runner();
  int start(int by) const;
  static int once();
};
template <class T> struct table { int get(T x); };
inline namespace v2 { int inside(); }
}
extern "C" int with_c_linkage(int n);
int ops_global(int n);
C
cat >forms.$ext <<'C'
#include "forms.h"
static __device__ int counts[4];
__device__ int of_device(int n) { return n; }
typedef int (*chosen_t)(int);
__device__ chosen_t chosen = of_device;
__constant__ float factors[2];
template <int N> static __global__ void fill(int *p) { *p = N + counts[0] + (int)factors[0]; }
#define LAUNCH(n) fill<n><<<1, 1>>>(nullptr)
namespace { int calls; int note(int n) { LAUNCH(1); return n + ++calls; } }
namespace ops {
int plain(int *p, const std::string &s) { return note((int)s.size()); }
int overloaded(int n) { return note(n); }
int overloaded(double x) { return note((int)(10 * x)); }
template <int N> int times(int *p) { return note(100 * N); }
#define TIMES(n) template int times<n>(int *);
TIMES(3)
TIMES(4)
#undef TIMES
template <class T> int of(T x) { return note((int)x); }
template <> int of<int>(int x) { return note(2 * x); }
template int of(float);
runner::runner(int n) : n(note(n)) {}
runner::~runner() { note(0); }
int runner::start(int by) const { return note(n + by); }
inline namespace v2 { int inside() { return note(5); } }
template <class T> int table<T>::get(T x) { return note((int)x); }
template struct table<long>;
}
int ops::runner::once() { return note(7); }
extern "C" int with_c_linkage(int n) { return note(n); }
int ops_global(int n) { return note(n); }
C
cat >host.cpp <<'C'
#include "forms.h"
extern "C" int run() {
  int n = ops::plain(nullptr, "abc") + 3 * ops::overloaded(2) + 5 * ops::overloaded(0.5) + 7 * ops::times<3>(nullptr) +
          11 * ops::times<4>(nullptr) + 13 * ops::of(4) + 17 * ops::of(1.5f) + 19 * ops::inside();
  ops::runner r(6);
  return n + 23 * r.start(1) + 29 * ops::runner::once() + 31 * with_c_linkage(2) + 37 * ops_global(3) + 41 * ops::table<long>().get(8L);
}
C
compile forms
host host
is 'as the build sees it' forms:blob "$(recorded)"
# in a module of Python all that others could look for is PyInit_…
printf 'extern "C" void *PyInit_lib() { return nullptr; }\n' >module.cpp
host module
link() { # OUTPUT OBJECTS…: lib.so and stock.so
  out=$1
  shift
  as_build $linker -shared -o "$out.so" "$@" $gpu_link || fail "link: $(cat err)"
  # shellcheck disable=SC2046 # words
  g++ -shared -o "stock-$out.so" $(printf '%s\n' "$@" | sed '/\.o$/s/^/stock-/') $gpu_link || fail 'stock link'
}
answers() { # OUTPUT: what run() of it returns
  cp "$1.so" lib.so
  run ./main >out 2>said || fail "$1: $(cat out said)"
  cat out
}
link lib forms.o host.host module.host
has 'the module' '1 blob is lazy (17 functions in 1 unit), 0 compiled ahead of time' err
loading_main
cp lib.so lazy.so
is 'what the calls return' "$(answers stock-lib)" "$(answers lazy)"
is 'called again, in a process that may not compile' "$(answers stock-lib)" "$(CK_JIT_ON_MISS=error answers lazy)"
grep -q '^launch _ZL*4fillILi1EEvPi' log || fail "launched: $(cat log)"
if [ $dialect = hip ]; then # another clang under the same hipcc is noticed
  readelf -p .ckjit.steps cache/forms.so | grep -q 'tool .*/clang' || fail "the entry does not name its clang: $(readelf -p .ckjit.steps cache/forms.so)"
fi
"$B/bin/ckjit-prebuild" list --kernels --manifest home/work/lib/ck_jit_manifest.json >kernels || fail 'list --kernels'
grep -q '^forms	.*fill<1>(int\*)$' kernels || fail "its kernels are not listed: $(cat kernels)"
CK_JIT_CACHE_DIR=$T/none "$B/bin/ckjit-prebuild" list --kernels --manifest home/work/lib/ck_jit_manifest.json >kernels || fail 'list --kernels'
is 'the unit, before a call shows its kernels' forms "$(cat kernels)"

# A library exports what nothing in it calls: another may look for it.
names() { nm -D --defined-only "$1" | awk '$2 ~ /[TW]/ { print $3 }' | grep -v -e ckjit -e '^_[Z]*NSt' | sort; }
sed 's/ + 37 \* ops_global(3)//' host.cpp >less.cpp
host less
link open forms.o less.host
has 'a library: why it is a unit' "forms.$ext: line 27: nothing in this library calls table, and another may" home/work/open/summary.txt
names open.so >lazy.names
names stock-open.so >stock.names
diff stock.names lazy.names >differ || fail "exported: $(cat differ)"
is 'what the unit returns' "$(answers stock-open)" "$(answers open)"
# in a program nobody looks
printf '#include <cstdio>\nextern "C" int run();\nint main() { return printf("%%d\\n", run()) < 0; }\n' >start.c
g++ -x c++ -c start.c -o start.host
as_build $linker -o program forms.o less.host start.host $gpu_link || fail "program: $(cat err)"
has 'a program' '1 blob is lazy' home/work/program/summary.txt
is 'what the program says' "$(answers stock-open)" "$(run ./program)"

# What is not late, and why.
unit() { # NAME: NAME.cu is an ordinary unit
  as_build $compiler $flags -c "$1.$ext" -o "$1.o" || fail "$1.$ext: $(cat err)"
  case " $(recorded) " in *" $1:unit "*) ;; *) fail "$1: not an ordinary unit: $(recorded)" ;; esac
}
body='static __global__ void k(int *p) { *p = 1; }'
printf '%s\n' "$body" 'int other_variable = 3, another = 4;' 'int f1() { k<<<1, 1>>>(nullptr); return other_variable; }' >variable.$ext
printf '%s\n' "$body" 'int enrol(); static int done = enrol();' 'int f2() { k<<<1, 1>>>(nullptr); return done; }' >runs.$ext
printf '%s\n' "$body" '__attribute__((constructor)) void begin() {}' 'int f3() { k<<<1, 1>>>(nullptr); return 0; }' >begins.$ext
printf '%s\n' '__global__ void shared(int *p) { *p = 1; }' 'int enrol(); static int shares_done = enrol();' 'int f4() { shared<<<1, 1>>>(nullptr); return shares_done; }' >shares.$ext
for name in variable runs begins shares; do unit $name; done
"$stock" $flags -c shares.$ext -o stock-shares.o 2>said || fail "shares.$ext: $compiler: $(cat said)"

# What the link finds out: a header with an initialiser, a function that two units define for all that their texts tell, one
# of a header, one unit that calls another's function, one that launches another's kernel, an address that is compared, a class with a
# virtual table.
printf 'struct note { note(); int n; };\nstatic note noted;\n' >enrols.h
printf '%s\n' '#include "enrols.h"' "$body" 'int g1() { k<<<1, 1>>>(nullptr); return noted.n; }' >header.$ext
printf '%s\n' "$body" 'namespace a { int same(int n) { k<<<1, 1>>>(nullptr); return n; } }' >two1.$ext
printf '%s\n' "$body" 'namespace a { int same(double x) { k<<<1, 1>>>(nullptr); return (int)(4 * x); } }' >two2.$ext
printf '%s\n' "$body" 'int in_header() { k<<<1, 1>>>(nullptr); return 4; }' >defines.cuh
printf '%s\n' '#include "defines.cuh"' 'int beside() { return in_header(); }' >included.$ext
printf '%s\n' "$body" 'int g1(); int caller() { k<<<1, 1>>>(nullptr); return 8 * g1(); }' >calls.$ext
printf '__global__ void shared(int *p);\n' >shared.h
printf '%s\n' '#include "shared.h"' "$body" 'int launches() { k<<<1, 1>>>(nullptr); shared<<<1, 1>>>(nullptr); return 128; }' >launches.$ext
printf '%s\n' "$body" 'int g3(); int g3() { k<<<1, 1>>>(nullptr); return 16; } bool is_g3(int (*f)()) { return f == g3; }' >address.$ext
printf 'struct base { virtual int get(); virtual ~base(); };\n' >virtual.h
printf '%s\n' '#include "virtual.h"' "$body" 'int base::get() { k<<<1, 1>>>(nullptr); return 32; }' 'base::~base() {}' >virtual.$ext
printf '%s\n' "$body" 'int quiet() { k<<<1, 1>>>(nullptr); return 64; }' >quiet.$ext
cat >user.cpp <<'C'
#include "virtual.h"
struct note { note(); int n; };
note::note() : n(100) {}
namespace a { int same(int); int same(double); }
int g1(), in_header(), beside(), caller(), launches(), g3(), quiet();
int enrol() { return 0; }
bool is_g3(int (*f)());
extern "C" int run() { base b; return g1() + a::same(1) + 3 * a::same(0.5) + in_header() + beside() + caller() + launches() + g3() + is_g3(g3) + b.get() + quiet(); }
C
all='header two1 two2 included calls launches address virtual quiet'
compile $all
host user
# shellcheck disable=SC2046,SC2086 # words
link many $(printf '%s.o ' $all) shares.o user.host module.host
is 'what they return' "$(answers stock-many)" "$(answers many)"
why() { has "$1: why" "$2" home/work/many/summary.txt; }
has 'late all the same' '2 blobs are lazy' home/work/many/summary.txt
why header "header.$ext: enrols.h:2: "
why included "included.$ext: user.host needs _Z9in_headerv, which a header of it may define"
why launches "launches.$ext: it needs "
why address "address.$ext: line 2: a function of it is named without being called"
why virtual "virtual.$ext: user.host needs _ZTV4base of it, which is no function"
why two2 "of two2.$ext: user.host needs _ZN1a4sameEi, and the text does not tell where that is defined"

# An archive, and a link that is not the last one.
ar rc libforms.a forms.o && ar rc stock-libforms.a stock-forms.o
as_build $linker -shared -o packed.so host.host module.host libforms.a $gpu_link || fail "archive: $(cat err)"
has 'of an archive' '1 blob is lazy' home/work/packed/summary.txt
is 'what an archive returns' "$(answers stock-lib)" "$(answers packed)"
as_build ld -r -o joined.o forms.o host.host || fail "ld -r: $(cat err)"
as_build $linker -shared -o joined.so joined.o module.host $gpu_link || fail "joined: $(cat err)"
is 'what was joined returns' "$(answers stock-lib)" "$(answers joined)"
# Nor does a source that the link's own command compiles.
cp module.host module.o
as_build $compiler $flags -shared -o both.so module.o host.cpp -L. -lforms $gpu_link || fail "both: $(cat err)"
has 'a source in the link' "host.cpp is compiled by the link's command" home/work/both/summary.txt
is 'what both return' "$(answers stock-lib)" "$(answers both)"
# An object for link-time optimisation does not say what it needs. (Debian's hipcc has no linker for its own.)
if [ $dialect = cuda ]; then
  g++ -flto -std=c++17 -O1 -fPIC -c host.cpp -o lto.host
  as_build $linker -flto -shared -o lto.so forms.o lto.host module.host $gpu_link || fail "-flto: $(cat err)"
  has 'with -flto' 'lto.host is compiled for link-time optimisation' home/work/lto/summary.txt
  is 'what it returns with -flto' "$(answers stock-lib)" "$(answers lto)"
fi

# Errors of warnings are wanted at the build, by the compiler.
as_build $compiler $flags $errors -c forms.$ext -o errors.o || fail "$errors: $(cat err)"
is "with $errors" host "$(sed -n '$s/.*"kind":"\([a-z]*\)".*/\1/p' home/work/manifest.json.ndjson)"

# All kernels at once.
CK_JIT_CACHE_DIR=$T/whole CK_JIT_PER_KERNEL=0 answers lazy >whole.out
is 'compiled whole' "$(answers stock-lib)" "$(cat whole.out)"
is 'one entry' 1 "$(find whole -maxdepth 1 -name 'forms*.so' | wc -l)"

# A unit that does not compile: the first call says so.
printf '%s\n' "$body" 'int broken() { k<<<1, 1>>>(nullptr); return undeclared; }' >broken.$ext
as_build $compiler $flags -c broken.$ext -o broken.o || fail "broken.$ext is not recorded"
cat >tries.cpp <<'C'
#include <cstdio>
#include <exception>
int broken();
extern "C" int run() { try { return broken(); } catch (const std::exception &e) { return fprintf(stderr, "%s\n", e.what()), -1; } }
C
host tries
as_build $linker -shared -o broken.so broken.o tries.host module.host $gpu_link || fail "broken: $(cat err)"
is 'the first call' -1 "$(answers broken)"
has 'the first call says' "undeclared" said
