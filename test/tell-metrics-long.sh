#!/bin/sh
# `stats --metrics` is OpenMetrics text as prometheus_client's parser reads it: every family, label
# and number, also with names that have quotes, backslashes and bytes that are not UTF-8.
# tier: long
# seconds: 30
. "${0%/*}/common.sh"
. "$here/unit/memo_fixture.sh"
need python3
python3 -m venv "$T/venv" 2>"$T/err" || skip "no venv: $(tail -n 1 "$T/err")"
"$T/venv/bin/pip" install -q prometheus_client >"$T/err" 2>&1 || skip \
  "no prometheus_client: $(tail -n 1 "$T/err")"
export CK_JIT_CACHE_DIR="$T/cache"
mkdir -m 700 "$T/cache"
metrics() {
  "$B/bin/ckjit-prebuild" stats --metrics "$@" >"$T/out" 2>"$T/err" || fail "stats: $(cat "$T/err")"
}
# parsed EXPRESSION: of the families f, and s, each sample's value by name, library and result
parsed() {
  "$T/venv/bin/python" - "$T/out" "$1" <<'END' || fail "$1: $(cat "$T/out")"
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
f = {m.name: m for m in text_string_to_metric_families(open(sys.argv[1], encoding="utf-8").read())}
s = {(x.name, x.labels.get("library"), x.labels.get("result")): x.value for m in f.values() for x in m.samples}
assert eval(sys.argv[2]), s
END
}
metrics
parsed 'len(f) == 5 and not s'
{
  printf '1\t20000\tlibmha_fwd.so\tk0\thit\t3\t0\n1\t20000\tlibmha_fwd.so\tk1\tcompiled\t2\t1500\n'
  printf '1\t20001\tlibmha_fwd.so\tk1\tmade\t2\t2500\n1\t20001\tlibmha_fwd.so\tk2\tunmade\t1\t10\n'
  printf \
    '1\t20001\tlib "a\\b"\303\251.so\tk0\twaited\t4\t7\n1\t20001\tlib\377.so\tk0\tfailed\t5\t7\n1\t20001\t\tk9\tmade\t1\t1\n'
} >"$T/cache/.stats"
printf 'k0\t10\n' >"$T/cache/.times"
printf '1\t1790000000\t1\n' >"$T/cache/.ready" # an earlier ckjit's
chmod 600 "$T"/cache/.[rst]*
metrics
parsed '("ckjit_ready_timestamp_seconds", None, None) not in s'
printf '1790000000 1' | memo .ready >"$T/cache/.ready"
chmod 600 "$T"/cache/.[rst]*
metrics
parsed \
  's["ckjit_first_calls_total", "libmha_fwd.so", "hit"] == 3 and s["ckjit_first_calls_total", "libmha_fwd.so", "compiled"] == 2'
parsed \
  's["ckjit_compiles_total", "libmha_fwd.so", "made"] == 2 and s["ckjit_compiles_total", "libmha_fwd.so", "failed"] == 1'
parsed \
  's["ckjit_waited_seconds_total", "libmha_fwd.so", None] == 1.5 and s["ckjit_saved_cpu_seconds_total", "libmha_fwd.so", None] == 30'
parsed \
  's["ckjit_first_calls_total", "lib \"a\\b\"\u00e9.so", "waited"] == 4 and s["ckjit_first_calls_total", "lib\\xff.so", "failed"] == 5'
parsed 's["ckjit_compiles_total", "", "made"] == 1'
parsed \
  's["ckjit_compiles_after_ready", None, None] == 3 and s["ckjit_ready_timestamp_seconds", None, None] == 1790000000'
parsed \
  'f["ckjit_waited_seconds"].type == "counter" and f["ckjit_waited_seconds"].unit == "seconds" and f["ckjit_compiles_after_ready"].type == "gauge"'
metrics --since 2024-10-05 # day 20001
parsed \
  's["ckjit_compiles_after_ready", None, None] == 4 and ("ckjit_ready_timestamp_seconds", None, None) not in s'
