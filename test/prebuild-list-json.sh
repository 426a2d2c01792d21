#!/bin/sh
# list --json: one object a line, for each kernel its names, source, architectures, state and size; all four states; a manifest
# without symbols, and one of records.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/export_fixture.sh"
list() { "$B/bin/ckjit-prebuild" list --json "$@"; }
# of STEM MEMBER: what the list says, as Python prints it
of() {
  list "$1" | python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$2"
}
list >"$T/all"
python3 - "$T/all" "$demo" <<'END'
import json, os, subprocess, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
assert [r["stem"] for r in rows] == ["k128", "k16", "k32", "k64", "k8"], rows
for r in rows:
    n = r["stem"][1:]
    assert set(r) == {"stem", "template", "signature", "symbol", "functions", "kernels", "source", "architectures", "state", "size"}, r
    assert [f["template"] for f in r["functions"]] == ["demo::forward_", "demo::count_"], r
    assert {k: r[k] for k in ("template", "signature", "symbol")} == r["functions"][0], r
    assert r["functions"][1]["signature"] == f"int demo::count_<demo::traits<{n}, true> >(int)", r
    for f in r["functions"]:
        filt = subprocess.run(["c++filt", f["symbol"]], capture_output=True, text=True, check=True)
        assert f["signature"] == filt.stdout.strip(), f
    assert r["source"] == f"{sys.argv[2]}/k{n}.cu" and os.path.exists(r["source"]), r
    assert r["kernels"] is None, r
    assert r["architectures"] == ["gfx90a"] and r["state"] == "absent" and r["size"] is None, r
END
# The symbols are those of the library.
list k64 | python3 -c 'import json, sys; [print(f["symbol"]) for f in json.load(sys.stdin)["functions"]]' | sort >"$T/said"
nm -D --defined-only "$demo/libdemo.so" | awk '{print $3}' | grep 'ILi64E' | sort >"$T/has"
cmp "$T/said" "$T/has" || fail "listed: $(cat "$T/said")"

"$B/bin/ckjit-prebuild" build k64 >/dev/null
[ "$(of k64 state) $(of k64 size)" = "cached $(stat -c %s "$T/cache/k64.so")" ] || fail "$(list k64)"
[ "$(of k64 kernels | sed "s/, 'code': .*}]}]/}]/")" = "[{'signature': 'void kentry<demo::traits<64, true> >(demo::args)', 'symbol': '_Z6kentryIN4demo6traitsILi64ELb1EEEEvNS0_4argsE', 'parameters': [{'name': 'a', 'type': 'demo::args'}]}]" ] ||
  fail "kernels: $(list k64)"
# what it takes of a GPU, by its code
is code 'gfx90a 4 1024 8' "$(list k64 | python3 -c 'import json, sys
for c in json.load(sys.stdin)["kernels"][0]["code"]: print(c["arch"], len([v for v in c.values() if v == 0]), c["max_threads"], c["waves"])')"
[ "$(CK_JIT_ARCH=gfx908 of k64 kernels)" = None ] || fail 'kernels of an entry for another architecture'
[ "$(CK_JIT_ARCH=gfx908 of k64 state)" = absent ] || fail 'the entry is for another architecture'
if CK_JIT_HIPCC=/bin/false "$B/bin/ckjit-prebuild" build k128 >"$T/output" 2>&1; then fail '/bin/false compiled it'; fi
[ "$(of k128 state) $(of k128 size)" = 'failed None' ] || fail "$(list k128)"
printf '#!/bin/sh\n[ "$1" != "-###" ] || exit 0\ntouch "%s"\nexec sleep 100000\n' "$T/started" >"$T/hipcc" && chmod +x "$T/hipcc"
CK_JIT_HIPCC=$T/hipcc "$B/bin/ckjit-prebuild" build k16 >"$T/output" 2>&1 &
pid=$!
await 'the compiler does not start' test -e "$T/started"
state=$(of k16 state)
kill $pid
wait $pid 2>/dev/null || :
[ "$state" = compiling ] || fail "k16 is $state while it is compiled"
[ "$(of k16 state)" = absent ] || fail "then: $(list k16)"

list k64 nothing >"$T/output" 2>"$T/err" && fail 'an unknown blob is no error'
grep -qx '{"stem":"nothing","state":"unknown"}' "$T/output" || fail "$(cat "$T/output")"
[ -z "$(list --blob-list /dev/null)" ] || fail 'an empty list is all'
python3 -c 'import json, sys
m = json.load(open(sys.argv[1]))
[b.pop("symbols") for b in m["blobs"].values()]
json.dump(m, open(sys.argv[2], "w"))' "$CK_JIT_MANIFEST" "$T/old.json"
list --manifest "$T/old.json" k64 | grep -q '"template":"forward_","signature":null,"symbol":null' || fail 'old manifest'
list --manifest "$demo/w/manifest.json.ndjson" k64 >"$T/output" || fail 'records'
grep -q '"template":null.*"functions":\[\].*k64.cu.*"state":null,"size":null' "$T/output" || fail "records: $(cat "$T/output")"
