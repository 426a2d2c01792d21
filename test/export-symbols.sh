#!/bin/sh
# --symbol: what it cannot mean is an error that lists what it could. In a directory each file gets the name. A manifest from
# before it had symbols serves as well.
# tier: all
# seconds: 18
. "${0%/*}/common.sh"
. "$here/unit/export_fixture.sh"
refused 1 'k64 has 2 functions that could be meant' k64 --format obj --symbol f --output k.o
grep -q "$count64" "$T/export.err" && grep -q 'int demo::count_<demo::traits<64, true> >(int)' "$T/export.err" ||
  fail "it does not list them: $(cat "$T/export.err")"
refused 1 '2 functions that could be meant' k64 k128 --format obj --symbol count_=f --output k.o
refused 1 'none of the kernels has such a function' k64 k128 --format obj --symbol nothing=f --output k.o
refused 2 'one file has 2 kernels' k64 k128 --format obj --symbol f --output k.o
refused 2 'another --symbol gives that name' k64 --format obj --symbol count_=f --symbol forward_=f --output k.o
for bad in '' 1f 'a b' 'a-b' =f 'count_=' llvm.x; do
  refused 2 "symbol '$bad'" k64 --format obj --symbol "$bad" --output k.o
done
refused 1 'has a symbol of that name already' k64 --format obj --symbol count_=hipLaunchKernel --output k.o
refused 1 'has a symbol of that name already' k64 --format obj --symbol "count_=$count64" --output k.o
refused 1 "it has no kernel 'nothing', but" k64 --format asm --symbol nothing=f --output k.s
grep -q "$kentry64" "$T/export.err" || fail "it does not list them: $(cat "$T/export.err")"
refused 2 '--json goes with list' k64 --json --format asm --output k.s
if "$B/bin/ckjit-prebuild" build k64 --format asm 2>"$T/err"; then fail 'build has a format'; fi
grep -q 'goes with export' "$T/err" || fail "$(cat "$T/err")"

# A plug-in's shape: the same name in each.
export_ k64 k128 --format so --symbol count_=count --output ./
[ "$(dlopen "$PWD/k64.so" count 2) $(dlopen "$PWD/k128.so" count 2)" = '128 256' ] || fail 'not each has the name'
# One that fits one of them.
export_ k64 k128 --format obj --symbol "$count128=count_128" --output ./
nm k128.o | grep -q ' T count_128$' || fail 'not renamed'
nm k64.o | grep -q " T $count64\$" || fail 'another one was renamed'

python3 - "$CK_JIT_MANIFEST" "$T/old.json" <<'END'
import json, sys
m = json.load(open(sys.argv[1]))
for b in m["blobs"].values():
    assert len(b.pop("symbols")) == 2
m["groups"][0].pop("inputs")
json.dump(m, open(sys.argv[2], "w"))
END
export_ k64 --manifest "$T/old.json" --format obj --symbol "$count64=count_64" --output old.o
nm old.o | grep -q ' T count_64$' || fail 'not renamed without symbols in the manifest'
refused 1 '2 functions match; pass --symbol' k64 --manifest "$T/old.json" --format obj --symbol f --output k.o
