#!/bin/sh
# matrix: the product by cuVS's rules: its two examples, and random documents against a plain reading of the rules in Python.
# tier: check
. "${0%/*}/common.sh"
need python3
matrix() {
  "$B/bin/ckjit-prebuild" matrix "$@"
}

# product WANTED JSON [WARNING...]: the product's lines with ; between, and a line that matches for each warning
product() {
  wanted_=$1
  printf '%s' "$2" >"$T/m.json"
  shift 2
  matrix "$T/m.json" >"$T/out" 2>"$T/err" || fail "$(cat "$T/m.json" "$T/err")"
  [ "$(paste -sd';' "$T/out")" = "$wanted_" ] || fail "$(cat "$T/m.json"): not $wanted_ but $(cat "$T/out")"
  [ "$(wc -l <"$T/err")" = $# ] || fail "$(cat "$T/m.json"): not $# warnings: $(cat "$T/err")"
  for words_; do
    grep -q -e "m.json: $words_" "$T/err" || fail "$(cat "$T/m.json"): no warning '$words_': $(cat "$T/err")"
  done
}

# The document's examples.
cat >"$T/8.json" <<'END_'
{
  "_data_type": [{"data_type": "float"}, {"data_type": "half"}],
  "_index": [{"idx_type": "uint32_t"}, {"idx_type": "int64_t"}],
  "capacity": ["1", "2"]
}
END_
cat >"$T/24.json" <<'END_'
{
  "_data_type": [
    {"data_type": "float", "_output_type": [{"out_type": "float"}, {"out_type": "double"}]},
    {"data_type": "__half", "_output_type": [{"out_type": "float"}]}
  ],
  "_index": [{"idx_type": "uint32_t"}, {"idx_type": "int64_t"}],
  "_optimized": [
    {"optimized_name": "optimized", "veclen": ["1", "4"]},
    {"optimized_name": "standard", "veclen": ["8", "16"]}
  ]
}
END_
matrix "$T/8.json" >"$T/8" 2>"$T/err" && matrix "$T/24.json" >"$T/24" 2>>"$T/err" && [ ! -s "$T/err" ] || fail "$(cat "$T/err")"
[ "$(sort -u "$T/8" | wc -l):$(wc -l <"$T/8")" = 8:8 ] || fail "not 8: $(cat "$T/8")"
[ "$(head -n 3 "$T/8")" = '{"data_type": "float", "idx_type": "uint32_t", "capacity": "1"}
{"data_type": "float", "idx_type": "uint32_t", "capacity": "2"}
{"data_type": "float", "idx_type": "int64_t", "capacity": "1"}' ] || fail "$(cat "$T/8")"
for of in 'float float uint32_t' 'float double uint32_t' '__half float uint32_t' 'float float int64_t' 'float double int64_t' '__half float int64_t'; do
  for kind in 'optimized 1' 'optimized 4' 'standard 8' 'standard 16'; do
    # shellcheck disable=SC2086 # words
    set -- $of $kind
    printf '{"data_type": "%s", "out_type": "%s", "idx_type": "%s", "optimized_name": "%s", "veclen": "%s"}\n' "$@"
  done
done | sort >"$T/wanted"
sort "$T/24" | cmp -s - "$T/wanted" || fail "not the 24: $(cat "$T/24")"
[ "$(matrix - <"$T/24.json" | cksum)" = "$(cksum <"$T/24")" ] || fail 'standard input gives another product'

# Each rule by itself.
product '{"b": "1", "a": "2"}' '{"b": "1", "a": "2"}'
product '{"a": "1"};{"a": "2"};{"a": "3"}' '{"a": [["1", ["2"]], "3"]}'
product '{"a": "1"};{"b": "2"}' '[{"a": "1"}, {"b": "2"}]'
product '{"a": "1", "b": "2"}' '{"_x": {"_y": [{"a": "1"}]}, "b": ["2"]}'
product '{"a": "1", "c": "3"};{"c": "3"}' '{"_g": [{"a": "1"}, {}], "c": "3"}'
product '{}' '{}'
product '{"A.b/c+d-e_1": "x\ny\u0001é\"\\"}' '{"A.b/c+d-e_1": "x\ny\u0001\u00e9\"\\"}'
product '{"a": 1};{"a": 2.5};{"a": true};{"a": false};{"a": null}' '{"a": [1, 2.5, true, false, null]}' '/a/0: 1 is not a string; @a@ becomes "1"' \
  '/a/1: 2.5 .* becomes "2.5"' '/a/2: true .*"ON"' '/a/3: false .*"OFF"' '/a/4: null .* becomes ""'
# The convention on names, and what is probably a mistake.
product '{"c": "1"}' '{"a": [{"b": {"c": "1"}}]}' '/a: the key "a" only groups.*name it "_a"' '/a/0/b: the key "b" only groups.*"_b"'
product '{"_c": "1", "__b": "2"}' '{"_a": {"_c": "1"}, "__b": "2"}' '/_a/_c: the key "_c" is a variable.*name it "c"' '/__b: .*name it "b"'
product '{"a": "2", "b": "x"}' '{"_g": [{"a": "1", "b": []}, {"a": "2", "b": "x"}]}' '/_g/0/b: an empty list'
product '{"a": "1"};{"a": "1"}' '{"a": ["1", "1"]}' '/a/1: "1" is already in this list'
product '{"a": "1"};{"b": "2"}' '{"a": ["1", {"b": "2"}]}' '/a: the key "a" is a variable for some'
product '{"v": "1"}' '{"x/~y z": {"v": "1"}}' '/x~1~0y z: the key "x/~y z" only groups'
product '{"v": "1"}' '{"a\u001b[1m": {"v": "1"}}' '/a.u001B.1m: the key "a.u001B.1m" only groups'
python3 -c 'print("{\"_a\": [" * 1000 + "{\"v\": [\"1\", \"2\"]}" + "]}" * 1000)' >"$T/deep.json"
[ "$(matrix "$T/deep.json" | wc -l)" = 2 ] || fail '2000 levels'
python3 -c 'import json; print(json.dumps({"a": [str(i) for i in range(1000)], "b": [[str(i) for i in range(1000)]]}))' >"$T/wide.json"
[ "$(matrix "$T/wide.json" | sort -u | wc -l)" = 1000000 ] || fail 'a million combinations are not all there'
[ "$(python3 -c 'print([0] * 100)' | matrix - 2>&1 | wc -l)" = 1 ] || fail 'more than the first error'
[ "$(printf '{"a": "]\\u\n\n"}' | matrix - 2>&1 | wc -l)" = 1 ] || fail 'an error quotes the newlines of a document'
[ "$(python3 -c 'print({"a": [0] * 100})' | tr \' \" | matrix - 2>&1 >/dev/null | wc -l)" = 51 ] || fail 'warnings without an end'

# Random documents. The reading of the rules is the shortest possible: a list of combinations for each part.
cat >"$T/documents.py" <<'END_'
import itertools, json, random, subprocess, sys
program, seeds = sys.argv[1], range(int(sys.argv[3]), int(sys.argv[3]) + int(sys.argv[2]))
def product(v, key=None):
    if isinstance(v, dict):
        return [dict(x for c in choice for x in c.items()) for choice in itertools.product(*(product(w, k) for k, w in v.items()))]
    if isinstance(v, list):
        return [c for w in v for c in product(w, key)]
    return [{key: v}]
def document(r, names, depth=0):
    kind = r.random()
    if depth == 0 or kind < 0.3 and depth < 5:
        return {names() if r.random() < 0.6 else "_" + names(): document(r, names, depth + 1) for _ in range(r.randrange(0 if depth else 1, 4))}
    if kind < 0.7 and depth < 6:
        return [document(r, names, depth + 1) for _ in range(r.choice((1, 1, 2, 2, 3, 3, 0)))]
    return str(r.randrange(100))
seen = set()
for seed in seeds:
    r, n = random.Random(seed), itertools.count()
    text = json.dumps(document(r, lambda: f"v{next(n)}"))
    wanted = product(json.loads(text))
    if len(wanted) > 20000:
        continue
    p = subprocess.run([program, "matrix", "-"], input=text.encode(), capture_output=True)
    seen.add(bool(wanted))
    if wanted:
        found = [json.loads(line) for line in p.stdout.splitlines()]
        assert p.returncode == 0 and [list(c.items()) for c in found] == [list(c.items()) for c in wanted], (seed, text, p.stderr)
    else:
        assert p.returncode == 1 and not p.stdout and b"an empty list" in p.stderr, (seed, text, p)
assert seen == {True, False}
END_
seed
python3 "$T/documents.py" "$B/bin/ckjit-prebuild" "${COUNT:-500}" "$SEED" || fail 'random documents'
