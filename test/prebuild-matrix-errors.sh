#!/bin/sh
# A matrix that cannot be taken: an error with the file and the JSON pointer, status 1, and nothing on standard output.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
P=$B/bin/ckjit-prebuild

# bad WORDS JSON
bad() {
  printf '%s' "$2" >"$T/m.json"
  refused 1 "m.json: $1" "$P" matrix "$T/m.json"
  [ ! -s "$T/refused.out" ] || fail "$2: wrote $(cat "$T/refused.out")"
  [ "$(wc -l <"$T/refused.err")" = 1 ] || fail "$2: more than one line: $(cat "$T/refused.err")"
}
bad 'the top: a value without a name' '"text"'
bad 'line 1, column 0: unexpected token near end of file' ''
bad 'line 1, column 5: unexpected token' '{"a":'
bad 'line 1, column .*end of file expected' '{"a": "1"} {}'
bad 'line 2, column 3: string or .}. expected' '{"a": "1",
  }'
bad 'line 1, column 14: duplicate object key' '{"a": "1", "a": "2"}'
bad 'line 1, column 7: unable to decode byte 0xff' "$(printf '{"a": "\377"}')"
bad 'line 1, column 10: NUL byte in object key' '{"a\u0000": "1"}'
bad 'line 1, column 14: .u0000 is not allowed' '{"a": "\u0000"}'
bad '/0: a value without a name' '["x"]'
bad '/1/0/0: a value without a name' '[{"a": "1"}, [["x"]]]'
bad '/h dim: the key "h dim" cannot be written as @variable@' '{"h dim": "64"}'
bad '/_g/1/h@: the key "h@" cannot' '{"_g": [{"a": "1"}, {"h@": "64"}]}'
bad '/: the key "" cannot' '{"": "1"}'
bad '/ü: the key "ü" cannot' '{"ü": "1"}'
bad '/hdim: an empty list, which leaves no combination' '{"hdim": [], "dtype": ["fp16"]}'
bad 'the top: an empty list' '[]'
bad '/_g/0/a: an empty list' '{"_g": [{"a": []}, {"b": [[]]}]}'
bad '/_b/0/a: a second value for @a@ in one combination, another is /a;' '{"a": "1", "_b": [{"a": "2"}, {"c": "3"}]}'
bad '/_b/0/_c/1/a: a second value for @a@ in one combination, another is /_b/0/a' \
  '{"_b": [{"a": "2", "_c": [{"d": "1"}, {"a": "1"}]}, {"a": "3"}]}'
bad '/a/1/a: a second value.*another is /_z/1/a' '{"_z": [{"b": "0"}, {"a": "1"}], "a": [[], {"a": "2"}]}'
bad 'line 1, column 2049: maximum parsing depth' "$(python3 -c 'print("[" * 5000 + "]" * 5000)')"
# What the two have in common is only where there is no combination of either: no error.
printf '{"a": "1", "_b": [{"a": "2", "c": []}, {"c": "3"}]}' >"$T/m.json"
[ "$("$P" matrix "$T/m.json" 2>/dev/null)" = '{"a": "1", "c": "3"}' ] || fail 'an alternative that is empty counts'

python3 - "$T" <<'END_'
import json, sys
dump = lambda name, v: json.dump(v, open(f"{sys.argv[1]}/{name}.json", "w"))
dump("over", {"a": [str(i) for i in range(1001)], "b": [str(i) for i in range(1000)]})
dump("huge", {f"a{j}": [str(i) for i in range(10)] for j in range(40)})
dump("huge-sum", {"_a": [{f"a{j}": [str(i) for i in range(10)] for j in range(19)}] * 10})
dump("nothing", dict({f"a{j}": [str(i) for i in range(10)] for j in range(40)}, z=[]))
END_
refused 1 'over.json: 1001000 combinations, expected at most 1000000' "$P" matrix "$T/over.json"
refused 1 'huge.json: more than 18446744073709551614 combinations, expected at most' "$P" matrix "$T/huge.json"
refused 1 'huge-sum.json: more than 18446744073709551614 combinations' "$P" matrix "$T/huge-sum.json"
refused 1 'nothing.json: /z: an empty list' "$P" matrix "$T/nothing.json"
refused 1 'none.json: cannot read it: No such file' "$P" matrix "$T/none.json"
refused 1 ': cannot read it: Is a directory' "$P" matrix "$T"
refused 1 'standard input: line 1' "$P" matrix - </dev/null
echo '{"a": "1"}' >"$T/m.json"
refused 1 'standard output cannot be written' sh -c "'$P' matrix '$T/m.json' >/dev/full"

# The command line.
refused 2 'matrix: expected one FILE' "$P" matrix
refused 2 'matrix: expected one FILE' "$P" matrix "$T/m.json" "$T/m.json"
refused 2 'matrix: expected one FILE' "$P" matrix "$T/m.json" --all
refused 2 'matrix: expected one FILE' "$P" matrix --matrix "$T/m.json"
refused 2 'output-dir needs --template' "$P" matrix "$T/m.json" --output-dir "$T/d"
refused 2 'output needs --template' "$P" matrix "$T/m.json" --output "$T/d"
refused 2 'template needs --output-dir DIR.* or --output FILE' "$P" matrix "$T/m.json" --template "$T/k.cu.in"
refused 2 'template needs --output-dir DIR.* or --output FILE' "$P" matrix "$T/m.json" --template "$T/k.cu.in" --output x --output-dir y
refused 2 'output-dir needs --name-format' "$P" matrix "$T/m.json" --template "$T/k.cu.in" --output-dir "$T/d"
refused 2 'name-format is for --output-dir' "$P" matrix "$T/m.json" --template "$T/k.cu.in" --output "$T/d" --name-format x
refused 2 'list: --template goes with matrix' "$P" list --template x
refused 2 'build: --output-dir goes with matrix' "$P" build --output-dir x --all
refused 2 'clean: --output goes with export, matrix, pack, trace and report' "$P" clean --output x --all
refused 2 '--matrix FILE needs --name-format FORMAT' "$P" list --matrix "$T/m.json"
refused 2 '--name-format FORMAT needs --matrix FILE' "$P" build --name-format x --all
refused 2 "matrix: expected once, found 'a' and 'b'" "$P" list --matrix a --matrix b
refused 2 "name-format: expected once, found 'a' and 'b'" "$P" list --name-format a --name-format b
[ ! -e "$T/d" ] || fail 'something was written'
