#!/bin/sh
# CK_JIT_TRACE of a link: the wrapper's span around it, the steps of ckjit-link in it, one after the other, and what it compiles on tracks of their own.
# tier: all
# seconds: 10
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
. "$here/unit/trace_fixture.sh"
. "$here/unit/page_fixture.sh"
kernel 1 && kernel 2 && host 1 2
export CK_JIT_TRACE="$T/trace"
objects k1 k2 host
link liba.so k1.o k2.o host.o
right liba.so 1
traced "$T/trace" '
assert sorted(e["name"] for e in of("record")) == ["k1.cpp", "k2.cpp"]
linked = [e for e in of("link") if e["name"] == "liba.so"]
assert len(linked) == 1 and linked[0]["args"]["status"] == "0", of("link")
steps = sorted(of("link step"), key=lambda e: e["ts"])
assert [e["name"] for e in steps] == ["blobs read", "forwarding units and dispatchers compiled", "runtime compiled", "linked"], steps
assert all(within(e, linked[0]) for e in steps) and {names[e["pid"]] for e in steps} == {"ckjit-link"}
inside = [e for e in of("host compile") if names[e["pid"]] == "ckjit-link"]
assert len(inside) >= 2 and all(e["tid"] > e["pid"] and any(within(e, s) for s in steps) for e in inside), inside
# a job that calls a kernel of it may share the file
assert [e["name"] for e in of("first call")] == ["k1"], of("first call")'
"$B/bin/ckjit" trace view "$T/trace" >/dev/null || fail 'no page'
paged "$T/trace.html" 'assert totals["Units recorded"][0] == "2" and totals["Links"][0] == "1" and totals["First calls"][0] == "1", totals'
