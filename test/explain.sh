#!/bin/bash
# `ckjit-build explain` names for each rule of core/base/reason.c the unit, the line, the declaration and what to do. Each rule is tried
# once, by the real wrapper, and is a row of docs/explain.md; the same verdicts come out when the records are judged again.
# tier: check
. "${0%/*}/common.sh"
need mkfifo
cd "$T"
fake_home "$T/h" 'no=never_*' 'dispatcher=*_api.cu' 'yes=always_*' 'family=fmha_*'
sed -i '1a case " $* " in *" -fodd "*) exit 1 ;; esac' h/real/bin/hipcc
hipcc() {
  "$T/h/bin/hipcc" "$@" 2>>err || :
}
: >want
# want RULE KIND "[:LINE]: KIND: SENTENCE": how the line of that unit goes on behind the source's name
want() {
  echo "$T/$1$3 [$2]" >>want
}
# unit RULE KIND LINE SENTENCE: compile standard input, as RULE.cu
unit() {
  cat >"$1.cu"
  hipcc -c "$1.cu" -o "$1.o"
  want "$1.cu" "$1" ":$3: $2: $4"
}
unit specialisations blob 2 'it defines explicit specialisations or instantiations of function templates and nothing else' <<'C'
#include "f.hpp"
template <> int f<2>(int x) { return x; }
C
# what stands in a file that is included is told with that file's name and line, at the line of the #include
printf '#define A \\\n 1\n#include "part_b.cu"\n\n\nint count() { return 3; }\n' >part_a.cu
echo 'template <> int f<3>(int x) { return x; }' >part_b.cu
printf '#include "f.hpp"\ntemplate <> int f<2>(int x) { return x; }\n#include "part_a.cu"\n' >with_a.cu
printf '#include "part_b.cu"\n#define B \\\n  2\nint op() { return 3; }\n' >with_b.cu
for name in with_a with_b; do hipcc -c $name.cu -o $name.o; done
want with_a.cu function ':3: host: `part_a.cu:6: int count()` is an external definition'
want with_b.cu function ':4: host: `int op()` is an external definition'
unit function host 2 '`int op_public(int a, const args<1, 2> &b)` is an external definition' <<'C'
template <> int f<2>(int x) { return x; }
int op_public(int a /* how
many */, const args<1, 2> &b) {
  return a;
}
C
unit variable host 1 '`int counter = 3` is a variable that other units can use' <<<'int counter = 3;'
unit initialiser host 2 '`static registration r` runs code when the library is loaded, with effects that others may notice' <<'C'
template <> int f<2>(int x) { return x; }
static registration r{"f"};
C
unit class-variable host 1 '`struct state` defines a class and a variable of it at once' <<<'struct state { int a; } current;'
unit asm host 1 '`asm(".globl x")` is assembler at file scope' <<<'asm(".globl x");'
unit own-template host 2 '`template <> int f<2>(int x)` is made from a template that this file declares itself, so nobody else can call it' <<'C'
template <int N> int f(int);
template <> int f<2>(int x) { return x; }
C
unit foreign-kernel host 2 '`template <int N> __global__ void k(int* out)` is a kernel that another unit defines, which a separately loaded blob would lack' <<'C'
#include "f.hpp"
template <int N> __global__ void k(int* out);
template <> int f<2>(int x) { return launch(k<2>, x); }
C
mkdir impl
echo 'int namesake(int x) { return x; }' >impl/namesake.cuh
unit namesake blob 1 'it defines the function of its name, in a header of its name' <<<'#include "impl/namesake.cuh"'
unit explicit-class host 1 '`template struct tile<128>` instantiates a class, and with it all its members' <<<'template struct tile<128>;'
unit explicit-variable host 1 '`template <> int limit<float> = 3` specialises or instantiates a variable template' <<<'template <> int limit<float> = 3;'
unit explicit-member host 1 '`template <> void tile<128>::run(args a)` specialises or instantiates a member of a class' <<<'template <> void tile<128>::run(args a) {}'
unit explicit-kernel host 1 '`template __global__ void k<128>(args)` specialises or instantiates a kernel, which other units may launch' <<<'template __global__ void k<128>(args);'
unit explicit-device host 1 '`template <> __device__ float g<float>(float x)` specialises or instantiates a device function' <<<'template <> __device__ float g<float>(float x) { return x; }'
unit explicit-operator host 1 '`template <> vec operator+<float>(vec a, vec b)` specialises or instantiates an operator' <<<'template <> vec operator+<float>(vec a, vec b) { return a; }'
unit explicit-constexpr host 1 '`template <> constexpr int f<2>(int x)` is constexpr, so callers may evaluate it' <<<'template <> constexpr int f<2>(int x) { return x; }'
unit explicit-internal host 2 '`template <> int f<2>(int x)` specialises a template of an unnamed namespace' <<'C'
namespace {
template <> int f<2>(int x) { return x; }
}
C
echo '#include "body.hpp"' >nothing.cu
hipcc -c nothing.cu -o nothing.o
want nothing.cu nothing ': host: its own text defines nothing that other units could call'
unit macro host 2 '`DEFINE_KERNELS(128)` could be anything, most likely a macro' <<'C'
template <> int f<2>(int x) { return x; }
DEFINE_KERNELS(128);
C
unit deleted host 1 '`template <> int f<2>(int) = delete` is a specialisation with a `=` in place of its body' <<<'template <> int f<2>(int) = delete;'
unit declarator host 1 '`template <> int (*f<2>(int x))(int)` is declared in a form that ckjit cannot parse' <<<'template <> int (*f<2>(int x))(int) { return 0; }'
unit conditional host 1 '`template <> int f<2>( int x int x)` has a conditional directive within the declaration' <<'C'
template <> int f<2>(
#if A
  int x
#else
  int x
#endif
) { return 0; }
C
unit not-read host 4 'ckjit cannot parse the text from here on: conditional directives split a bracket' <<'C'
template <> int f<2>(int x) {
#if A
  if (x) {
#endif
  }
}
C
# the profile
for name in never_a x_api always_a; do
  blob $name.cu
  hipcc -c $name.cu -o $name.o
done
want never_a.cu no ': host: `no` of the profile names it: never_*'
want x_api.cu dispatcher ': dispatcher: `dispatchers` of the profile names it: *_api.cu'
want always_a.cu yes ': blob: `yes` of the profile names it: always_*'
echo 'DEFINE_KERNELS(128)' >fmha_a.cu
hipcc -c fmha_a.cu -o fmha_a.o
want fmha_a.cu family ': blob: its content is ambiguous, and `families` of the profile names it: fmha_*'
# the call
call() { # call RULE TEXT SOURCE COMMAND…
  want "$3" "$1" ": $4: $2"
  shift 4
  "$@"
}
blob a.cu
blob a.c
echo '__device__ float g(float x) { return x; }' >device.cu
call fragment 'it defines device functions and nothing else, compiled with -fgpu-rdc' device.cu fragment hipcc -c device.cu -fgpu-rdc -o device.o
# A lazy unit needs a compiler that preprocesses (test/units-call.sh); here its record is enough.
blob ordinary.cu
printf '{"ckjit":1,"kind":"unit","stem":"ordinary","source":"%s","output":"%s","cwd":"%s","compiler":"%s","compiler_kind":"hip","rule":"unit","key":"%032d","device_text":"/t","archs":["gfx942"],"device":[],"args":["-c","ordinary.cu"]}\n' \
  "$T/ordinary.cu" "$T/ordinary.o" "$T" "$T/h/real/bin/hipcc" 0 >>h/wdir/manifest.json.ndjson
want ordinary.cu unit ": unit: it is an ordinary unit: its host side is compiled now, each kernel when it is first launched"
# Nor are units of HIP late.
blob late.cu
printf '{"ckjit":1,"kind":"blob","stem":"late","source":"%s","output":"%s","cwd":"%s","compiler":"%s","compiler_kind":"hip","rule":"late","args":["-c","late.cu"]}\n' \
  "$T/late.cu" "$T/late.o" "$T" "$T/h/real/bin/hipcc" >>h/wdir/manifest.json.ndjson
want late.cu late ": blob: it defines functions and nothing that runs or is seen before one of them is called, so all of it is compiled when the first of them is called"
call unreadable 'it cannot be read: missing.cu' missing.cu host hipcc -c missing.cu -o missing.o
call language 'this call does not compile it as C++, HIP or CUDA: a.c' a.c host hipcc -c a.c -o c.o
call sources 'the call compiles several sources, or none: a.cu' a.cu host hipcc -c a.cu never_a.cu
call links 'the call compiles and links at once' a.cu link hipcc a.cu -o prog
call inputs 'the call has other inputs than the source: other.o' a.cu host hipcc -c a.cu other.o -o inputs.o
call outputs 'an option makes the compiler write something other than an object, or may: -save-temps' a.cu host hipcc -save-temps -c a.cu -o outputs.o
call environment "an environment variable changes the compiler's output: a.cu" a.cu host env DEPENDENCIES_OUTPUT=x "$T/h/bin/hipcc" -c a.cu -o environment.o
printf -- '-DA="b' >response
call response-file 'the arguments in a response file or variable are uncertain: a.cu' a.cu host hipcc @response -c a.cu -o response.o
call name 'the source and the object have the same name, or a name has a special meaning to the compiler, or is not UTF-8: a.cu' a.cu host hipcc -c a.cu -o a.cu
mkfifo pipe.cu
call stream 'a source or an output is not a regular file: pipe.cu' pipe.cu host hipcc -c pipe.cu -o pipe.o
call takes 'its text includes a file that no depfile names, such as with .incbin: .incbin' takes.cu host \
  sh -c 'printf "%s\n" "template <> int f<2>(int x) { asm(\".incbin \\\"data\\\"\"); return x; }" >takes.cu; "$@"' sh "$T/h/bin/hipcc" -c takes.cu -o takes.o
call option-file "an option names a file that ckjit cannot track: $T/none.prof" a.cu host hipcc -fprofile-instr-use=none.prof -c a.cu -o option-file.o
call machine 'an option depends on the processor of the compiling machine: -march=native' a.cu host hipcc -march=native -c a.cu -o machine.o
call refused 'the real compiler rejects these options, or writes nothing with them' a.cu host hipcc -fodd -c a.cu -o refused.o
ln -s elsewhere link.o
call object 'its object is a symbolic link, or ckjit cannot write it, its depfile or its record' a.cu host hipcc -c a.cu -o link.o

explain() {
  "$B/bin/ckjit-build" explain "$@"
}
explain h >all
sed '/^$/,$d' all >units
diff want units >difference || fail "explained as: $(cat difference)"
# the summary has each rule with its advice, and counts
sed '1,/^$/d' all >summary
n=$(wc -l <want)
grep -q "^$n units: 5 blob, 1 dispatcher, 1 fragment, $((n - 9)) host, 1 unit, 1 link$" summary || fail "$(cat summary)"
grep -q '^ *1  no  *take that glob out of `no`' summary || fail "no advice: $(cat summary)"
# each rule was tried, and has its row
tr '\n' ' ' <"$here/../core/base/reason.c" | grep -o '\[RULE_[A-Z_]*\] *= *{ *"[a-z-]*"' | cut -d '"' -f 2 | grep -vx none | sort >rules
[ "$(wc -l <rules)" = "$(($(grep -c '^  RULE_' "$here/../core/base/reason.h") - 1))" ] || fail "core/base/reason.c: $(wc -l <rules) rules found"
sed 's/.*\[\([a-z-]*\)\]$/\1/' want | sort -u | diff rules - || fail 'not each rule is tried'
sed '/^## What the link did/,$d' "$here/../docs/explain.md" | sed -n 's/^| \([a-z-]*\) | .*/\1/p' | grep -vx rule | sort | diff rules - || fail 'docs/explain.md has other rules'
sed -n 's/^    \[OUTCOME_.*{"\([a-z-]*\)",.*/\1/p' "$here/../core/files/outcome.c" | sort >outcomes
sed '1,/^## What the link did/d' "$here/../docs/explain.md" | sed -n '/^| outcome/,/^$/s/^| \([a-z, -]*\) | .*/\1/p' | tr -d ',' | tr ' ' '\n' | grep -vx outcome | sort | diff outcomes - ||
  fail 'docs/explain.md has other outcomes'
[ -s outcomes ] || fail 'core/files/outcome.c: no outcomes found'

# judged again: the same; a source that is gone keeps what it had
rm missing.cu 2>/dev/null || :
explain h --replay 2>warned | sed '/^$/,$d' >again
diff want again >difference || fail "judged again as: $(cat difference)"
grep -q "warning: $T/missing.cu: is gone" warned || fail "a source that is gone: $(cat warned)"
[ "$(wc -l <h/wdir/manifest.json.ndjson)" = "$n" ] || fail 'judging has recorded something'
# another profile
cat >my.yaml <<'Y'
compilers: [hipcc]
no: ["specialisations.*"]
harmless_types: [registration]
Y
explain h specialisations never_a.cu initialiser --profile ./my.yaml >other
grep -q '^.*/specialisations.cu: host: `no` .*\[no\]$' other && grep -q '/initialiser.cu:1: blob' other && grep -q '/never_a.cu:3: blob' other || fail "another profile: $(cat other)"
# a record of an earlier ckjit has no rule: judged without being asked
mkdir old
sed -n 's/"rule":"function","line":2,"text":"[^"]*",//p' h/wdir/manifest.json.ndjson >old/manifest.json.ndjson
explain old | grep -q '^.*/function.cu:2: host: `int op_public.* \[function\]$' || fail "a record without a rule: $(explain old)"
# a command, judged and not run, by the real compiler's name and by that of a fake home
rm -f h/real.log
explain -- h/bin/hipcc -c never_a.cu -o y.o | grep -q 'names it: never_\* \[no\]$' || fail 'a command of a fake home'
explain -- "$T/h/real/bin/hipcc" -c never_a.cu -o y.o | grep -q ':3: blob: .* \[specialisations\]$' || fail 'a command of the real compiler'
test ! -e h/real.log && test ! -e y.o || fail 'a command was run'
# an object of the build, or an archive, says what its record says; the work directory finds a unit by its object
grep "/specialisations.cu" want >one
ar rc some.a specialisations.o
for file in specialisations.o some.a; do
  explain $file | sed '/^$/,$d' | diff one - || fail "the record in $file"
done
explain h specialisations.o | sed '/^$/,$d' | diff one - || fail 'a unit by its object'
gcc -c -x c /dev/null -o plain.o
explain plain.o 2>said && fail 'an object without a record is explained'
grep -q 'plain.o: holds no records of ckjit' said || fail "an object without a record: $(cat said)"
