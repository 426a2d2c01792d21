#!/bin/sh
# --matrix and --name-format select blobs, for list, build and clean. A combination that no blob answers to is an error,
# and nothing is done.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
. "$here/unit/prebuild_fixture.sh"
install_tree
export CK_JIT_CACHE_DIR="$T/cache"
cat >"$T/m.json" <<'END_'
{"_n": [{"kind": "blob", "n": ["5", "2"]}, {"kind": "bl?b", "n": "[3-4]"}]}
END_
select_() {
  command_=$1
  shift
  prebuild "$command_" --matrix "$T/m.json" --name-format '@kind@_@n@' "$@"
}
# Stems alone, in the order of the combinations, as any list of blobs takes them.
[ "$(select_ list | paste -sd' ')" = 'blob_5 blob_2 blob_3 blob_4' ] || fail "$(select_ list)"
[ "$(select_ list | prebuild list --blob-list - | cut -f2 | sort -u)" = known ] || fail 'a list of blobs does not take it'
# With blobs given as well, all of them, each once, and with what is known; --names: the stems alone.
[ "$(select_ list blob_1 blob_2 | paste -sd' ' | tr '\t' ,)" = \
  'blob_1,known,absent blob_2,known,absent blob_5,known,absent blob_3,known,absent blob_4,known,absent' ] || fail "$(select_ list blob_1 blob_2)"
[ "$(select_ list --names blob_1 | paste -sd' ')" = 'blob_1 blob_5 blob_2 blob_3 blob_4' ] || fail "$(select_ list --names blob_1)"
[ "$(prebuild list --names blob_1.cu "$T/x/blob_2.so" | paste -sd' ')" = 'blob_1 blob_2' ] || fail '--names without a matrix'
[ "$(prebuild list --names | wc -l)" = 6 ] || fail '--names alone'
refused 1 "unknown blob 'blob_7'" prebuild list --names blob_1 blob_7
[ ! -s "$T/refused.out" ] || fail "--names printed $(cat "$T/refused.out")"

select_ build >"$T/out" 2>&1 || fail "$(cat "$T/out")"
grep -q '^4 compiled, 0 in the cache already, 0 failed' "$T/out" || fail "$(cat "$T/out")"
[ "$(cd "$T/cache" && echo blob_*.so)" = 'blob_2.so blob_3.so blob_4.so blob_5.so' ] || fail "$(ls "$T/cache")"
select_ clean >"$T/out" 2>&1 || fail "$(cat "$T/out")"
[ ! -e "$T/cache/blob_2.so" ] || fail 'clean left blob_2'
rm -r "$T/cache"

# A format for what is before or behind; one combination may mean several blobs, and several the same.
[ "$(prebuild list --matrix "$T/m.json" --name-format '*_@n@' 2>"$T/err" | wc -l)" = 4 ] || fail 'a wildcard in front'
grep -q 'name-format does not use @kind@ of' "$T/err" || fail "no warning: $(cat "$T/err")"
echo '{"k": ["blob", "b"]}' >"$T/all.json"
[ "$(prebuild list --matrix "$T/all.json" --name-format '@k@*' | wc -l)" = 6 ] || fail 'all of them'
# Stems that are only alike in their beginning, or begin with the pattern.
echo '{"k": ["blob_", "blob_1x", "blob"]}' >"$T/none.json"
refused 1 "none of 6 blobs in .*json matches 'blob_1x', which comes from combination 2 of .*none.json, {\"k\": \"blob_1x\"}" \
  prebuild list --matrix "$T/none.json" --name-format '@k@'
[ "$(grep -c 'none of 6 blobs' "$T/refused.err")" = 3 ] || fail "not all three: $(cat "$T/refused.err")"

echo '{"n": ["1", "7"]}' >"$T/one.json"
for command in list build clean; do
  refused 1 "none of 6 blobs in .* matches 'blob_7'.*combination 2 of .*one.json, {\"n\": \"7\"}" \
    prebuild "$command" --matrix "$T/one.json" --name-format 'blob_@n@'
  [ ! -s "$T/refused.out" ] || fail "$command printed $(cat "$T/refused.out")"
done
refused 1 '@m@ is not a variable of .*one.json; it has n' prebuild build --matrix "$T/one.json" --name-format 'blob_@n@@m@'
echo '[{"n": "1"}, {"m": "2"}]' >"$T/two.json"
refused 1 '@n@ has no value in combination 2 of .*two.json, {"m": "2"}' prebuild build --matrix "$T/two.json" --name-format 'blob_@n@'
refused 1 'none of 6 blobs in .* matches' prebuild build --matrix "$T/one.json" --name-format ''
refused 1 "matches 'blob@@n'" prebuild build --matrix "$T/one.json" --name-format 'blob@@n'
echo '{"n": []}' >"$T/empty.json"
refused 1 '/n: an empty list' prebuild build --matrix "$T/empty.json" --name-format 'blob_@n@'
python3 -c 'import json; print(json.dumps({"n": [str(i) for i in range(100, 400)]}))' >"$T/many.json"
refused 1 'name-format: 280 more' prebuild build --matrix "$T/many.json" --name-format 'blob_@n@'
[ ! -e "$T/cache" ] || fail 'something was compiled'
