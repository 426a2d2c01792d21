#!/bin/sh
# Many kernels: as many at a time as was said, each start and end told in order, a failure does not stop the others, a cancelled
# batch begins no more, lists name kernels as ckjit-prebuild's do.
# tier: all
# seconds: 10
. "${0%/*}/common.sh"
. "$here/unit/runtime_fixture.sh"
SHIM_MS=100 many lib 12
lib=$T/lib/libkernels.so

# side_by_side: the most compiles at a time in the log
side_by_side() {
  awk '{print $3, $1}' "$T/lib/log" | sort -n | awk '{n += $2 == "start" ? 1 : -1; if (n > most) most = n} END {print most}'
}
for parallel in 1 3; do
  rm -rf "$T/cache"
  : >"$T/lib/log"
  api "open:$lib" many:$parallel:all >"$T/out" || fail "many: $(cat "$T/out")"
  is "at a time, of $parallel" $parallel "$(side_by_side)"
  is "ends, of $parallel" "1/12 2/12 3/12 4/12 5/12 6/12 7/12 8/12 9/12 10/12 11/12 12/12 " \
    "$(sed -n 's/^done k[0-9]* CKJIT_OK handle //p' "$T/out" | tr '\n' ' ')"
  is "starts, of $parallel" "0 1 2 3 4 5 6 7 8 9 10 11 " "$(sed -n 's/^started k//p' "$T/out" | tr '\n' ' ')"
  has "result" "12 done, 0 failed, 0 cancelled, 0 running of 12" "$T/out"
done
rm -rf "$T/cache"
: >"$T/lib/log"
CK_JIT_JOBS=2 api quiet "open:$lib" many:0:all:store list >"$T/out" || fail "CK_JIT_JOBS: $(cat "$T/out")"
is "CK_JIT_JOBS" 2 "$(side_by_side)"
is "stored" 12 "$(grep -c '^k[0-9]* cached' "$T/out")"
CK_JIT_JOBS=none api "open:$lib" many:0:all >"$T/out" && fail "CK_JIT_JOBS=none"
has "CK_JIT_JOBS=none" "CKJIT_E_INVALID: CK_JIT_JOBS: expected a number from 1 to 65535, found 'none'" "$T/out"
is "no kernel" "0 done, 0 failed, 0 cancelled, 0 running of 0" "$(api "open:$lib" many:2:)"
is "twice the same" "2 done, 0 failed, 0 cancelled, 0 running of 2" "$(api quiet "open:$lib" many:2:k0,k0)"

# failures
rm -rf "$T/cache"
echo broken >"$T/lib/control/k3.fail"
echo broken >"$T/lib/control/k7.fail"
api "open:$lib" many:2:all >"$T/out" && fail "k3 compiles"
has "failures" "12 done, 2 failed, 0 cancelled, 0 running of 12" "$T/out"
has "failures" "CKJIT_E_FAILED: 2 of 12 kernels failed; the first of them: k3: ckjit-compile: error: k3: the compiler failed" "$T/out"
is "told" 2 "$(grep -c '^done k[37] CKJIT_E_FAILED [0-9]*/12' "$T/out")"
api quiet "open:$lib" batch:2:k2,k3 wait:-1 result:0 call:0:5 result:1 result:2 free >"$T/out" && fail "k3 compiles"
is "results" "2005" "$(sed -n 's/^2005/2005/p' "$T/out")"
is "the error of k3" 2 "$(grep -c '^CKJIT_E_FAILED: .*k3: the compiler' "$T/out")"
has "no third" "CKJIT_E_INVALID: ckjit_batch_result: expected a batch" "$T/out"
rm "$T"/lib/control/*.fail

# a batch: asked, waited for, cancelled
rm -rf "$T/cache"
hold=$T/lib/control/hold
touch "$hold"
api quiet "open:$lib" batch:1:all poll result:11 wait:0.05 "remove:$hold" wait:-1 poll free >"$T/out" && fail "nothing was busy"
is "poll" "CKJIT_E_BUSY: 0 done" "$(sed -n '1s/, .*//p' "$T/out")"
has "result too early" "CKJIT_E_BUSY: it has not ended yet" "$T/out"
has "short wait" "CKJIT_E_BUSY: 0 of 12 kernels are done" "$T/out"
is "long wait" "CKJIT_OK: 12 done, 0 failed, 0 cancelled, 0 running of 12" "$(tail -n 1 "$T/out")"
rm -rf "$T/cache"
: >"$T/lib/log"
touch "$hold"
api "open:$lib" batch:2:all "until:$T/lib/log:start" cancel "remove:$hold" wait:-1 result:11 free >"$T/out" && fail "cancelled"
has "cancelled" "CKJIT_E_CANCELLED: cancelled: " "$T/out"
has "cancelled" "CKJIT_E_CANCELLED: cancelled before it began" "$T/out"
is "begun" "$(started lib)" "$(grep -c '^done .* CKJIT_OK' "$T/out")"
is "told" 12 "$(grep -c '^done ' "$T/out")"
rm -rf "$T/cache"
api "open:$lib" stop:3 many:1:all >"$T/out" && fail "cancelled by its callback"
grep -q '^12 done, 0 failed, [89] cancelled, 0 running of 12$' "$T/out" || fail "cancelled by its callback: $(cat "$T/out")"
: >"$T/lib/log"
rm -rf "$T/cache"
api quiet "open:$lib" batch:2:all "until:$T/lib/log:start" free >"$T/out" || fail "freed: $(cat "$T/out")"
[ "$(started lib)" -lt 12 ] || fail "a batch that was freed went on"

# lists
rm -rf "$T/cache"
printf '# a list\n\n k1 \n/x/k2.cu\nk3.so\r\nk4.%048d.so\n%s\nk1\n' 0 "$T/lib/ck_jit/src/k5.cu" >"$T/list"
is "list" "5 done, 0 failed, 0 cancelled, 0 running of 5" "$(api quiet "open:$lib" "prewarm:$T/list")"
is "what it names" "k1 k2 k3 k4 k5 " "$(cd "$T/cache" && for f in *.so; do printf '%s ' "${f%.so}"; done)"
printf 'k6\nk77\n\nno kernel' >>"$T/list"
api "open:$lib" "prewarm:$T/list" >"$T/out" && fail "unknown names"
has "unknown" "CKJIT_E_NOT_FOUND: 2 names are not among the 12 kernels of $lib:" "$T/out"
has "unknown" "$T/list:10: unknown kernel 'k77'" "$T/out"
has "unknown" "$T/list:12: unknown kernel 'no kernel'" "$T/out"
[ ! -e "$T/cache/k6.so" ] || fail "a list with unknown names was begun"
is "skipped" "6 done, 0 failed, 0 cancelled, 0 running of 6" "$(api quiet "open:$lib" "prewarm:$T/list:skip")"
printf '# ckjit-capture 1: calls, processes, seconds of the compile, kernel\n5\t1\t0.210\tk8\n1\t1\t-\tk9\n' >"$T/capture"
is "a capture" "2 done, 0 failed, 0 cancelled, 0 running of 2" "$(api quiet "open:$lib" "prewarm:$T/capture")"
sed -i 's/capture 1/capture 2/' "$T/capture"
api "open:$lib" "prewarm:$T/capture" >"$T/out" && fail "a capture of another version was read"
has "another version" "CKJIT_E_OPEN: $T/capture: a capture of another version of ckjit" "$T/out"
is "standard input" "1 done, 0 failed, 0 cancelled, 0 running of 1" "$(echo k7 | api quiet "open:$lib" prewarm:-)"
for file in /nonexistent "$T"; do
  api "open:$lib" "prewarm:$file" >"$T/out" && fail "$file is no list"
  has "no list" "CKJIT_E_OPEN: $file: the list cannot be read: " "$T/out"
done
