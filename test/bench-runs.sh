#!/bin/sh
# The figures of `make bench` that take little time have a value: what they compile of the runtime fits it. A figure that does not run
# fails the benchmark, and says why.
# tier: long
# seconds: 40
. "${0%/*}/common.sh"
need cc ninja hipcc
need_hipcc
mkdir "$T/b"
for part in "$B"/*; do # all but a benchmark's own results
  [ "${part##*/}" = bench ] || ln -s "$part" "$T/b/"
done
bench() { env "B=$T/b" "$here/../bench/run" --rounds 1 "$@" >"$T/out" 2>&1; }

bench wrap wrap-hip call call-small first-cached record-depfile record-macro quick || fail "bench/run ended with $?: $(cat "$T/out")"
for name in wrap wrap-hip call call-small first-cached record-depfile record-macro quick; do
  grep -Eq "^$name +[0-9.]+ [^ ]*s +[0-9.]+ [^ ]*s +[0-9.]+ " "$T/out" || fail "no figure $name in: $(cat "$T/out")"
done

# A C compiler that compiles nothing of HIP's part.
mkdir "$T/bin"
cat >"$T/bin/cc" <<END_
#!/bin/sh
case "\$*" in *ck_jit_hip_kernels.c*) echo 'no such thing' >&2; exit 1 ;; esac
exec "$(command -v cc)" "\$@"
END_
chmod +x "$T/bin/cc"
PATH=$T/bin:$PATH bench wrap wrap-hip && fail "a figure without a value does not fail the benchmark: $(cat "$T/out")"
grep -q '^wrap  *[0-9]' "$T/out" || fail "the figure before it has no value: $(cat "$T/out")"
grep -q '^wrap-hip  *failed: cc .*ck_jit_hip_kernels.c' "$T/out" || fail "not said what failed: $(cat "$T/out")"
grep -q 'no such thing' "$T/out" || fail "not said why: $(cat "$T/out")"

bench no-such-figure && fail 'an unknown name is taken'
grep -q 'no figure or module no-such-figure; there are .*wrap-hip' "$T/out" || fail "an unknown name: $(cat "$T/out")"
