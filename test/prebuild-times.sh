#!/bin/sh
# The cache remembers how long each blob took, without waiting for the lock of another; times prints that, for --times; a damaged line costs
# that line, a damaged file of the user's is an error that names the line. The file stays small, and goes with clean --all. build starts the longest first.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/shard_fixture.sh"
shard_tree 8
export CK_JIT_CACHE_DIR="$T/cache"
refused 1 "times: the cache directory .* (CK_JIT_CACHE_DIR) does not exist" prebuild times
refused 1 "times: the cache directory $T/nowhere (--cache-dir) does not exist; correct the name, or compile kernels into it with" prebuild times --cache-dir "$T/nowhere"
[ -z "$(env -u CK_JIT_CACHE_DIR XDG_CACHE_HOME="$T/xdg" "$I/ckjit-prebuild" times 2>"$T/err")" ] || fail 'times of a cache that is not there'
grep -q "note: the cache directory $T/xdg/ck_jit does not exist yet" "$T/err" || fail "$(cat "$T/err")"
mkdir -m 700 "$T/xdg" "$T/xdg/ck_jit"
[ -z "$(prebuild times --cache-dir "$T/xdg/ck_jit" 2>"$T/err")" ] || fail 'times of an empty cache'
grep -q "note: $T/xdg/ck_jit has no times" "$T/err" || fail "$(cat "$T/err")"
# One takes processor time, another waits.
cat >"$T/hipcc" <<END
#!/bin/sh
case "\$*" in *k2.cu*) python3 -c 'import time
while time.process_time() < 0.5: pass' ;; esac
exec '$T/fast' "\$@"
END
chmod +x "$T/hipcc"
echo 1500 >"$T/control/k1.sleep"
CK_JIT_HIPCC=$T/hipcc prebuild build k0 k1 k2 -j 2 >/dev/null || fail 'not built'
rm "$T/control/k1.sleep"
prebuild times >"$T/times"
[ "$(cut -f 1 "$T/times" | tr '\n' ' ')" = 'k0 k1 k2 ' ] || fail "$(cat "$T/times")"
awk -F '\t' '$1 == "k2" ? $2 < 0.5 || $2 > 3 : $2 > 1 { exit 1 } $2 !~ /^[0-9]+\.[0-9][0-9][0-9]$/ { exit 1 }' "$T/times" || fail "$(cat "$T/times")"
[ "$(prebuild list --times "$T/times" k1 k2 | head -n 1)" = k2 ] || fail 'the slow one is not first'
[ "$(prebuild times k2 k7 | cut -f 1)" = k2 ] || fail 'times of some'
[ "$(prebuild times --all | wc -l)" = 3 ] || fail 'times --all'
# what is cached already, and what fails, has no new time
: >"$T/control/k5.fail"
prebuild build k0 k5 >/dev/null 2>&1 && fail 'k5 compiles'
[ "$(prebuild times | wc -l)" = 3 ] || fail "$(cat "$T/cache/.times")"
# The history has both, the newest last.
prebuild log >"$T/log" || fail 'log'
[ "$(cut -f 2 "$T/log" | sort | tr '\n' ' ')$(tail -n 1 "$T/log" | cut -f 2)" = 'k0 k1 k2 k5 k5' ] || fail "$(cat "$T/log")"
[ "$(grep -c "^$(date +%Y)-[0-9: -]*	k[0-9]	[0-9.]* s, .*	/[^	]*	" "$T/log")" = 4 ] || fail "$(cat "$T/log")"
grep -q '	k1	1\.[5-9] s, 0\.[0-9] CPU-seconds	' "$T/log" || grep -q '	k1	[2-9]\.[0-9] s, 0\.[0-9] CPU-seconds	' "$T/log" || fail "$(cat "$T/log")"
grep -q '	k5	[0-9.]* s, failed	' "$T/log" || fail "$(cat "$T/log")"
[ "$(prebuild log k2 k5 | cut -f 2 | tr '\n' ' ')" = 'k2 k5 ' ] || fail "$(prebuild log k2 k5)"
prebuild log --json >"$T/json" || fail 'log --json'
python3 - "$T/json" "$T/cache" <<'END'
import json, sys, time
rows = [json.loads(line) for line in open(sys.argv[1])]
assert [r["kernel"] for r in rows][-1] == "k5" and [r["result"] for r in rows] == ["made"] * 3 + ["failed"], rows
for r in rows:
    assert set(r) == {"kernel", "result", "ended", "seconds", "processor_seconds", "build_id", "compiler", "version", "kernels"}, r
    assert time.time() - 600 < r["ended"] <= time.time() and r["seconds"] >= 0 and r["compiler"][0] == "/", r
    assert (r["processor_seconds"] is None) == (r["kernel"] == "k5") and len(r["build_id"]) == 48 and r["kernels"] == [], r
END
refused 1 "log: the cache directory $T/nowhere (--cache-dir) does not exist" prebuild log --cache-dir "$T/nowhere"
# the newest counts; what is damaged is passed over
printf 'k0\t5.000\nk1\t1\nk1k4\t\nk\nhalf a li\nk1\t1k4\t2.5\nk4\t-1\nk4\tnan\nk4\t1e400\n\0\tx\nk6\t0.0004\n' >>"$T/cache/.times"
prebuild times >"$T/out" || fail 'damaged lines'
[ "$(tr '\t\n' '= ' <"$T/out" | sed 's/k2=[0-9.]*/k2/')" = 'k0=5.000 k1=1.000 k2 k6=0.000 ' ] || fail "$(cat "$T/out")"
# The cache's own file is not for --times: it changes.
prebuild list --times "$T/cache/.times" 2>"$T/err" && fail 'the own file is taken'
grep -q 'it changes with every compile.*ckjit times >FILE' "$T/err" || fail "$(cat "$T/err")"

# bad LINE: an error that names file and line
bad() {
  printf 'k1\t2\n%b\n' "$1" >"$T/bad"
  refused 1 "--times $T/bad:2: expected STEM<TAB>SECONDS or a JSON object" prebuild list --times "$T/bad"
}
for line in k1 'k1 2' '\tk1' 'k1\t' 'k1\tx' 'k1\t-2' 'k1\t0x10' 'k1\tinf' 'k1\tnan' 'k1\t1e12' 'k1\t2\t3' 'k1\t2s' '{' '{"stem": "k1", "seconds": "2"}' \
  '{"stem": "k1", "seconds": -1}' '{"stem": 3, "seconds": 1}' '{"stem": 3}' '{"stem": "k1", "stem": "k2", "seconds": 1}' '{"stem": "k1", "seconds": 1} x' 'k1\0\t3'; do
  bad "$line"
done
refused 1 "--times $T/none: cannot read it: No such file" prebuild build --all --times "$T/none"
refused 1 "--times $T: cannot read it" prebuild list --times "$T"
printf 'other\t2\r\n \n# note\n{"stem": "x", "seconds": null}\n' >"$T/others"
prebuild list --times "$T/others" 2>"$T/err" | sort | cmp - "$(prebuild list >"$T/all" && echo "$T/all")" || fail 'times of others'
grep -q 'it has no time of a requested blob' "$T/err" || fail "$(cat "$T/err")"

# It does not grow for ever: the newest of each is left. Written by many at once, lines stay whole.
awk 'BEGIN { for (n = 0; n < 300000; n++) printf "a_stem_that_comes_again_and_again\t%d.000\n", n }' >>"$T/cache/.times"
prebuild build k3 >/dev/null || fail 'k3'
[ "$(stat -c %s "$T/cache/.times")" -lt 2000 ] || fail "$(stat -c %s "$T/cache/.times") bytes"
prebuild times >"$T/out"
grep -q "^a_stem_that_comes_again_and_again	299999.000" "$T/out" && grep -q '^k3	' "$T/out" && grep -q '^k0	5.000' "$T/out" || fail "$(cat "$T/out")"
prebuild log k3 | grep -q '	k3	[0-9.]* s, .*	/' || fail "$(prebuild log)"
rm -rf "$T/cache"
rm "$T/control/"*
for _ in 1 2 3; do
  prebuild build --all -j 8 >"$T/out" || fail "$(cat "$T/out")"
  rm "$T/cache/"*.so
done
[ "$(grep -c '^k[0-7]	[0-9.]*	2	[0-9]*	[0-9.]*	[0-9a-f]*	/[^	]*$' "$T/cache/.times")" = 24 ] && [ "$(wc -l <"$T/cache/.times")" = 24 ] || fail "$(cat "$T/cache/.times")"
# no place for it is no reason to fail
rm "$T/cache/.times" && mkdir "$T/cache/.times"
prebuild build k0 >"$T/out" || fail "$(cat "$T/out")"
refused 1 "$T/cache/.times: cannot read it" prebuild times
rmdir "$T/cache/.times"
prebuild build k1 >/dev/null && touch "$T/cache/.times.tmp123" "$T/cache/.timesheet"
prebuild clean k1 >/dev/null
[ -e "$T/cache/.times" ] || fail 'clean of one blob forgot all times'
prebuild clean --all >/dev/null
[ "$(cd "$T/cache" && echo .times*)" = .timesheet ] || fail "left: $(ls -A "$T/cache")"
# a stem that is no word of a line
name=$(printf 'tab\tand #')
cp "$T/i/ck_jit/src/k1.cu" "$T/$name.cu"
CK_JIT_HIPCC=$T/fast "$I/ckjit-compile" --blob-source "$T/$name.cu" --blob-flags "--log=$T/log --template=$T/template.so" --cache \
  --output "$T/cache/$name.so" --arch gfx942 >"$T/out" 2>&1 || fail "$(cat "$T/out")"
prebuild times | grep -q '^{"stem":"tab\\tand #","seconds":0\.[0-9]*}$' || fail "$(prebuild times)"
# build starts the longest first: by --times, by the cache's own times, and for the rest by the size of the source
printf 'k3\t1\nk5\t3\n' >"$T/cache/.times"
printf 'k1\t2\nk3\t9\n' >"$T/times"
echo >"$I/src/k6.cu"
rm -f "$T"/cache/*.so
: >"$T/log"
prebuild build k6 k1 k5 k3 -j 1 --times "$T/times" >"$T/out" || fail "$(cat "$T/out")"
[ "$(sed -n 's/^start \([^ ]*\) .*/\1/p' "$T/log" | tr '\n' ' ')" = 'k3 k5 k1 k6 ' ] || fail "not the longest first: $(cat "$T/log")"
