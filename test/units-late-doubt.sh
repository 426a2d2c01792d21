#!/bin/bash
# A late unit whose text leaves a doubt is read as the preprocessor leaves it: macros that open braces and namespaces, give names and
# linkage, conditionals. It stays late, and the results are those of nvcc. What the names of a link do not tell is made with the library.
# tier: check
# seconds: 30
. "${0%/*}/common.sh"
late=1
. "$here/unit/cuda_units_fixture.sh"
flags='-std=c++17 -O0 -Xcompiler -fPIC -gencode arch=compute_90,code=sm_90 -DNAMED=by_command'
compile() {
  for name in "$@"; do
    # shellcheck disable=SC2086
    as_build nvcc $flags -c "$name.cu" -o "$name.o" || fail "$name.cu: $(cat err)"
    # shellcheck disable=SC2086
    "$cuda/bin/nvcc" $flags -c "$name.cu" -o "stock-$name.o" || fail "$name.cu: nvcc"
  done
}
both() { # OUTPUT OBJECTS…: programs OUTPUT and stock-OUTPUT, which print the same
  out=$1
  shift
  as_build c++ -o "$out" "$@" -Lcudart -lcudart || fail "$out: $(cat err)"
  # shellcheck disable=SC2046 # words
  g++ -o "stock-$out" $(printf '%s\n' "$@" | sed '/\.o$/s/^/stock-/') -Lcudart -lcudart || fail "stock $out"
  run "./stock-$out" >wanted || fail "stock $out ends with $?"
  run "./$out" >found 2>said || fail "$out: $(cat said)"
  is "what $out prints" "$(cat wanted)" "$(cat found)"
}

cat >forms.h <<'C'
#define OPEN namespace a { namespace b {
#define CLOSE } }
#define SPACE space
#define C_LINKAGE extern "C"
#define HEAD(name) int name(int x)
#define given_name real_name
#define EXPORT __attribute__((visibility("default")))
#ifdef LOGS
inline int counted = 0;
#endif
#ifdef __CUDACC__
template <int N> struct chunk;
template <> struct __align__(4) chunk<4> { char text[4]; };
#endif
namespace a { namespace b { int opened(int); } }
namespace space { int in_macro(int); }
C_LINKAGE int by_macro(int);
extern "C" int by_header(int);
int headed(int), given_name(int), braced(int), by_command(int), in_arm(int), exported(int);
C
cat >forms.cu <<'C'
#include "forms.h"
#define BRACE {
static __global__ void k(int *p) { *p = 1; }
static int note(int x) { if (x < -1000) k<<<1, 1>>>(nullptr); return 3 * x + 1; }
OPEN
int opened(int x) { return note(x); }
CLOSE
namespace SPACE { int in_macro(int x) { return note(x + 1); } }
C_LINKAGE int by_macro(int x) { return note(x + 2); }
int by_header(int x) { return note(x + 3); }
HEAD(headed) { return note(x + 4); }
int given_name(int x) { return note(x + 5); }
int braced(int x) BRACE return note(x + 6); }
int NAMED(int x) { return note(x + 7); }
#ifdef NOT_DEFINED
int variable = 3;
REGISTER(in_arm)
namespace x {
#else
#endif
int in_arm(int x) { return note(x + 8); }
#ifdef NOT_DEFINED
}
#endif
EXPORT int exported(int x) { return note(x + 9); }
C
cat >main.cpp <<'C'
#include <cstdio>
#define NAMED by_command
#include "forms.h"
int main() {
  printf("%d %d %d %d %d %d %d %d %d %d\n", a::b::opened(1), space::in_macro(1), by_macro(1), by_header(1), headed(1), real_name(1), braced(1),
         by_command(1), in_arm(1), exported(1));
}
C
g++ -c main.cpp -o main.host
compile forms
# a name of C that only the header makes one is not in the text of the unit
sed -i '/^int by_header/s/^/extern "C" /' forms.cu
compile forms
both forms forms.o main.host
has 'it stays late' '1 blob is lazy (10 functions in 1 unit)' home/work/forms/summary.txt

# Two of these do not stay late: a header gives C linkage, a variable in the arm that is taken.
sed -i '/^extern "C" int by_header/s/^extern "C" //' forms.cu
compile forms
both forms forms.o main.host
has 'C linkage of the header' 'main.host needs by_header, and the text does not tell where that is defined' home/work/forms/summary.txt
sed 's/NOT_DEFINED/__CUDACC__/' >taken.cu <<'C'
static __global__ void k(int *p) { *p = 1; }
#ifdef NOT_DEFINED
int variable = 3;
#endif
int taken(int x) { if (x < -1000) k<<<1, 1>>>(nullptr); return variable++; }
C

# What else the text of a unit does not tell, and the names of a link do: constants that a declaration makes external, names by
# attributes, addresses that a header compares, functions that a library or a weak definition has as well.
body='static __global__ void k(int *p) { *p = 1; } static int note(int x) { if (x < -1000) k<<<1, 1>>>(nullptr); return x + 1; }'
cat >names.h <<'C'
extern const int constant;
struct of_class { static const int count; };
int f1(int), f2(int), f3(int), f4(int), f5(int), f6(int), f7(int), taken(int);
typedef int taking(int);
bool is_f4(taking *), compares(taking *);
inline bool is_same(int (*p)(int)) { return p == f4; }
inline int copied(int x) { return x; }
extern "C" int alias_of_f3(int);
extern int variable;
C
printf '%s\n' '#include "names.h"' "$body" 'const int constant = 4; int f1(int x) { return note(x); }' >constant.cu
printf '#ifdef __CUDACC__\nint begun();\ninline int counted = begun();\n#endif\n' >counts.h
printf '%s\n' '#include "counts.h"' "$body" 'int begun() { return 0; } int f7(int x) { return note(x) + counted; }' >counts.cu
printf '%s\n' '#include "names.h"' "$body" 'const int of_class::count = 5; int f2(int x) { return note(x); }' >member.cu
printf '%s\n' '#include "names.h"' "$body" 'extern "C" int target(int x) { return note(x); } extern "C" int alias_of_f3(int) __attribute__((alias("target")));' \
  'int f3(int x) { return x; }' >alias.cu
printf '%s\n' '#include "names.h"' "$body" 'int f4(int x) { return note(x); } bool is_f4(int (*p)(int)) { return is_same(p); }' >address.cu
printf '%s\n' '#include "names.h"' "$body" 'bool compares(int (*p)(int)) { return note(1) && p == copied; }' >inlined.cu
printf '%s\n' "$body" 'int f5(int x) { return note(x); }' >strong.cu
printf '%s\n' "$body" 'namespace n { int puts(const char *) { return note(1); } } extern "C" int c_function() { return n::puts(""); } int f6(int x) { return note(x); }' >puts.cu
cat >user.cpp <<'C'
#include <cstdio>
#include "names.h"
extern "C" int c_function();
__attribute__((weak)) int f5(int x) { return 100 * x; }
int main() {
  puts("puts of the library");
  printf("%d %d %d %d %d %d %d %d %d %d %d %d\n", constant + f1(1), of_class::count + f2(1), alias_of_f3(1) + f3(1), is_f4(f4) + f4(1), is_same(f4), compares(copied),
         f5(2), f6(1), c_function(), taken(1), variable, f7(1));
}
C
g++ -O0 -c user.cpp -o user.host
all='constant member alias address inlined strong puts taken counts'
# shellcheck disable=SC2086
compile $all
# shellcheck disable=SC2046,SC2086
both names $(printf '%s.o ' $all) user.host
why() { has "$1: why" "$1.cu: $2" home/work/names/summary.txt; }
why constant 'it has the variable constant, which a declaration makes external'
why address 'a header of it may take the address of f4'
why inlined 'it compares the address of copied, which each unit has'
why strong 'user.host has _Z2f5i, too'
why counts 'a header of it: `inline int counted = begun()`'
why taken 'user.host needs variable of it, which is no function'

# A header of the build whose macros register something, and one whose macros only describe functions: what they stand for decides.
cat >registers.h <<'C'
#pragma once
#include <cstdio>
struct registered { registered(const char *name, int n) { printf("%s %d\n", name, n); } };
#define REGISTER(name) static registered registered_##name(#name, 1)
#define DECLARES static registered
C
cat >describes.h <<'C'
#pragma once
#ifdef __cplusplus
#define NORETURN [[noreturn]]
#else
#define NORETURN _Noreturn
#endif
#ifdef __GNUC__
#define FORMAT(...) __attribute__((format(printf, __VA_ARGS__)))
#define DEPRECATED(f, hint) f __attribute__((deprecated(hint)))
#else
#define FORMAT(...)
#define DEPRECATED(f, hint) f
#endif
#define API __attribute__((visibility("default"))) extern
#define TABLE(type, name, n) static const type name[n] = {
#define TABLE_END() };
typedef struct { int n; } value_t;
extern "C" {
NORETURN FORMAT(3, 4)
API void ends(const char *file, int line, const char *format, ...);
DEPRECATED(API int old(void), "call another");
FORMAT(2, 3) API void logs(int level, const char *format, ...);
API float converted(value_t);
}
TABLE(int, table, 2) 1, 2 TABLE_END()
C
sources='called named plain written described again'
printf '#include "registers.h"\nREGISTER(called);\n' >called.h
printf '#include "registers.h"\nDECLARES named("named", 2);\n' >named.h
printf '#include "registers.h"\nDECLARES plain{"plain", 3};\n' >plain.h
printf '#include "registers.h"\nstatic registered written("written", 4);\n' >written.h
printf '#include "describes.h"\n' >described.h
for name in $sources; do
  # again.cu has the includes of called.cu: their headers are judged once
  header=$name
  [ "$name" != again ] || header=called
  printf '%s\n' "#include \"$header.h\"" "$body" "int f_$name(int x) { return note(x); }" >"$name.cu"
done
{
  printf '#include <cstdio>\n'
  for name in $sources; do echo "int f_$name(int);"; done
  echo 'int main() { int n = 0;'
  for name in $sources; do echo "n += f_$name(1);"; done
  echo 'return printf("%d|", n) < 0; }'
} >registers.cpp
g++ -c registers.cpp -o registers.host
# shellcheck disable=SC2086
compile $sources
# shellcheck disable=SC2046,SC2086
both registers $(printf '%s.o ' $sources) registers.host
for name in called named plain again; do
  has "$name: why" "of $name.cu: a header of it: \`static registered" home/work/registers/summary.txt
done
has 'written: why' 'of written.cu: written.h:2: `static registered written' home/work/registers/summary.txt
has 'described: it stays late' '1 blob is lazy (1 function in 1 unit)' home/work/registers/summary.txt
is 'the preprocessor is asked of these alone' 3 "$(find home/work/registers/objs -name 'text-*.d' | wc -l)"

# A function that a macro is given by its name: as a string, it keeps nothing with the library; as an address, it does, and so does a function
# whose name looks like a macro's. The line is that of the source.
cat >given.h <<'C'
struct tracer { const char *name; explicit tracer(const char *name) : name(name) {} };
#define TRACED(name) tracer name##_tracer(#name)
#define SAME(p, name) ((p) == (name))
int traced(int), compared(int, int (*)(int, void *)), passed(int);
int GIVEN(int (*f)(int), int x);
C
printf '%s\n' '#include "given.h"' "$body" 'int traced(int x) { TRACED(traced); return note(x) + traced_tracer.name[0]; }' >traced.cu
printf '%s\n' '#include "given.h"' "$body" 'int compared(int x, int (*p)(int, void *)) { return note(x); }' \
  'int passed(int x);' 'static int (*saved)(int); static bool set(int x) { return x > 0 && SAME(saved, passed); }' 'int passed(int x) { return set(x) + note(x); }' >compared.cu
printf '%s\n' '#include "given.h"' "$body" 'int capital(int x) { return x > 2 ? note(x) : GIVEN(capital, x + 1); }' >capital.cu
printf '%s\n' '#include <cstdio>' '#include "given.h"' 'int capital(int); int GIVEN(int (*f)(int), int x) { return (f == capital) + f(x + 1); }' \
  'int main() { return printf("%d|", traced(1) + compared(2, nullptr) + passed(3) + capital(1)) < 0; }' >given.cpp
g++ -c given.cpp -o given.host
compile traced compared capital
both given traced.o compared.o capital.o given.host
has 'traced: it stays late' '1 blob is lazy (1 function in 1 unit)' home/work/given/summary.txt
for name in compared capital; do
  has "$name: why" "of $name.cu: line " home/work/given/summary.txt
  has "$name: why" "a function of it is named without being called" home/work/given/summary.txt
done

# What a unit includes within a namespace is its own text: functions there are its own, and what is internal keeps nothing. A variable
# for others does, and a file that another one includes there.
printf '#ifndef F\n#define F\nint within(int x) { return note(x + 1); }\n#endif\n' >function.inc
printf 'const char *text = R"(__global__ void k() { } int shown = 1;)";\nint counter = 1;\n' >text.inc
printf 'int shown = 3;\n' >variable.inc
printf 'int f_nested(int x) { return x; }\n#include "text.inc"\n' >nested.inc
printf '%s\n' "$body" 'namespace space {' '#include "function.inc"' '}' 'namespace {' '#include "text.inc"' '}' \
  'int texts(int x) { return note(x) + text[x] + counter++; }' >within.cu
printf '%s\n' "$body" 'namespace space {' '#include "variable.inc"' 'int shows(int x) { return note(x) + shown; }' '}' >shows.cu
printf '%s\n' "$body" 'namespace a {' '#include "nested.inc"' '}' 'int nests(int x) { return note(x) + a::f_nested(x); }' >nests.cu
printf '%s\n' '#include <cstdio>' 'namespace space { int within(int), shows(int); extern int shown; } int texts(int), nests(int);' \
  'int main() { return printf("%d %d %d %d|", space::within(1), space::shows(1) + space::shown, texts(1) + texts(2), nests(3)) < 0; }' >within.cpp
g++ -c within.cpp -o includes.host
compile within shows nests
both includes within.o shows.o nests.o includes.host
has 'within: it stays late' '1 blob is lazy (2 functions in 1 unit)' home/work/includes/summary.txt
has 'shows: why' 'of shows.cu: includes.host needs _ZN5space5shownE of it, which is no function' home/work/includes/summary.txt
has 'nests: why' 'of nests.cu: line 4: an #include within a namespace' home/work/includes/summary.txt

# The address of a function that nothing else needs is its own alone: in the unit's text and in a header. A header's variable with the
# name of a class is no constructor, `__device__` functions have no address on the host, and what a call returns is no address.
cat >alone.h <<'C'
inline int apply(int (*f)(int), int x) { return f(x); }
int in_text(int), in_header(int), applies(int);
inline int via_header(int x) { return apply(&in_header, x); }
struct place { int n; place(int x); };
inline int reads(const place &i) { return i.n; }
inline int sum(place &place) { return reads(place) + 1; }
#ifdef __CUDACC__
template <int (*F)(int)> inline int picks(int x);
__device__ inline int on_device(int x) { return x; }
template <int (*F)(int)> int picks(int x) { if constexpr (F == &on_device) return x; else return x + 1; }
#endif
inline int rounded(int x) { return x / 4; }
C
printf '%s\n' '#include "alone.h"' "$body" 'int in_text(int x) { return note(x); } int in_header(int x) { return note(x + 1); }' \
  'place::place(int x) : n(note(x)) {}' \
  'int applies(int x) { place i(x); return 2 == rounded(8) && rounded(x) != 7 ? apply(in_text, x) + via_header(x) + sum(i) : 0; }' >alone.cu
printf '%s\n' '#include "alone.h"' "$body" 'template <int (*F)(int)> int chosen(int x) { if constexpr (F == &on_device) return note(x); else return x; }' \
  'int chooses(int x) { return chosen<on_device>(x); }' >chooses.cu
printf '%s\n' '#include <cstdio>' '#include "alone.h"' 'int chooses(int);' 'int main() { place i(3); return printf("%d %d|", applies(1) + sum(i), chooses(5)) < 0; }' >alone.cpp
g++ -c alone.cpp -o alone.host
compile alone chooses
both alone alone.o chooses.o alone.host
has 'alone: both stay late' '2 blobs are lazy' home/work/alone/summary.txt
