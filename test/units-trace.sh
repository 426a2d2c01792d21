#!/bin/bash
# CK_JIT_TRACE of launches of a lazy unit's kernels: each first launch is a span that names the kernel and has its look-up, its compile, which an
# arrow leads to ckjit-compile, and its load; a second launch is none. What cannot be compiled is in it as failed. ckjit-prebuild status names the
# kernel that is being compiled, and who launches it.
# tier: all
# seconds: 12
. "${0%/*}/common.sh"
. "$here/unit/hip_fixture.sh"
. "$here/unit/trace_fixture.sh"
real=$(command -v hipcc)
# the device's pass of one kernel waits while there is a file `hold`, and fails while there is one `broken`
cat >hipcc <<C
#!/bin/sh
case " \$* " in *" -fms-extensions "*)
  while [ -e '$T/hold' ]; do sleep 0.02; done
  [ ! -e '$T/broken' ] || exit 3
  ;;
esac
exec '$real' "\$@"
C
chmod +x hipcc
export CK_JIT_HIPCC=$T/hipcc
two_units
export CK_JIT_TRACE=$T/trace
run ./main a0 a1 a0 b1 >got 2>err || fail "launches: $(cat err)"
is launches 'a0 0 a1 0 a0 0 b1 0 ' "$(tr '\n' ' ' <got)"
traced "$T/trace" "
jobs = [p for p, n in names.items() if n == 'main']
kernels = of('kernel')
assert len(jobs) == 1 and [e['args']['kernel'] for e in kernels] == ['_Z7first_aPi', '_Z7times_aILi3EEvPi', '_Z7times_bILi3EEvPi'], kernels
assert all(e['args']['library'] == '$T/libunits.so' and e['args']['archs'] == 'gfx90a' for e in kernels)
compiles = [e for e in of('compile') if e['pid'] in jobs]
mine = [e for e in of('compile') if e['pid'] not in jobs]
assert len(compiles) == len(mine) == len(starts) == len(ends) == 3 and set(starts) == set(ends), (compiles, mine)
for k, c, m in zip(kernels, compiles, mine):
    inside = [e for e in spans if e['pid'] in jobs and e is not k and within(e, k)]
    assert [e['cat'] for e in inside] == ['look up', 'compile', 'look up', 'load'], inside
    assert [e['args'].get('status') for e in inside] == ['miss', '0', 'hit', None], inside
    assert all(e['args']['stem'] == k['args']['stem'] for e in inside) and c in inside and within(m, c)
    assert m['name'] == k['args']['stem'] and m['args']['compiler'] == '$T/hipcc' and m['args']['status'] == '0', m
    assert any(e['pid'] == m['pid'] for e in of('step')), 'no command'
assert len({k['args']['stem'] for k in kernels}) == 3
"
rm trace
run ./main b1 >got 2>err
traced "$T/trace" "
assert [e['args']['kernel'] for e in of('kernel')] == ['_Z7times_bILi3EEvPi'] and not of('compile')
assert [e['args']['status'] for e in of('look up')] == ['hit'] and len(of('load')) == 1"
rm trace
: >broken
rm -f cache/*.1306fdf6fa8dd5fd.so # the front end's result, if it was ready in time
run ./main b0 >got 2>err
is 'a kernel that does not compile' 'b0 98' "$(cat got)"
traced "$T/trace" "
assert [e['args']['kernel'] for e in of('kernel')] == ['_Z7first_bPi'] and not of('load')
by_job = {names[e['pid']]: e['args']['status'] for e in of('compile')}
assert by_job['main'] == '1' and 'the compiler failed with status 3' in by_job['ckjit-compile'], by_job"
rm broken
unset CK_JIT_TRACE

# status
rm -r cache
: >hold
status() {
  "$B/bin/ckjit-prebuild" status >now 2>said
}
shows() {
  status && grep -qE "$1" now
}
HIPRT_LOG=$T/log.1 LD_LIBRARY_PATH=$T/hip ./main a0 >got.1 2>err.1 &
first=$!
await 'the compile' shows "^a-[0-9a-f]{12}\\.[0-9a-f]{16}	.*	for main \\(pid $first\\)$"
HIPRT_LOG=$T/log.2 LD_LIBRARY_PATH=$T/hip ./main a0 >got.2 2>err.2 &
second=$!
await 'the one that waits' shows "	for main \\(pid $first\\), main \\(pid $second\\)$"
is 'one line' 1 "$(wc -l <now)"
kernel=$(cut -f 1 now)
CK_JIT_MANIFEST=$T/home/work/libunits/ck_jit_manifest.json "$B/bin/ckjit-prebuild" list "$kernel" >listed || fail "status does not name a kernel of list: $kernel"
has 'its name' 'first_a(int*)' listed
rm hold
wait $first || fail "the first: $(cat err.1)"
wait $second || fail "the second: $(cat err.2)"
is 'both are right' 'a0 0 a0 0 ' "$(cat got.1 got.2 | tr '\n' ' ')"
status
has 'nothing any more' "note: nothing is being compiled into $T/cache" said
