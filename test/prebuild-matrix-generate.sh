#!/bin/sh
# matrix --template: one source a combination; written only where its content changes, stale ones removed, and nobody else's file
# overwritten. Bad names and bad templates: an error, and nothing written.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
. "$here/unit/memo_fixture.sh"
cd "$T"
cat >m.json <<'END_'
{"_type": [{"type": "float", "abbrev": "f", "vec": ["1", "4"]}, {"type": "_Float16", "abbrev": "h", "vec": "8", "half": "1"}],
 "dim": ["64", "128"]}
END_
cat >kernel.cu.in <<'END_'
// @@vec@@ stays@ ${vec} @a b@
#cmakedefine half
template <> float kernel_<@type@, @vec@, @dim@>() { return 1; }
END_
matrix() {
  "$B/bin/ckjit-prebuild" matrix "$@"
}
generate() {
  matrix m.json --template kernel.cu.in --output-dir "$@" --name-format 'kernel_@abbrev@_v@vec@_d@dim@'
}
generate d >out 2>err || fail "$(cat err)"
[ ! -s err ] || fail "warnings: $(cat err)"
[ "$(paste -sd' ' out)" = 'd/kernel_f_v1_d64.cu d/kernel_f_v1_d128.cu d/kernel_f_v4_d64.cu d/kernel_f_v4_d128.cu d/kernel_h_v8_d64.cu d/kernel_h_v8_d128.cu' ] ||
  fail "$(cat out)"
[ "$(sort out)" = "$(printf '%s\n' d/* | sort)" ] || fail "other files: $(ls d)"
[ "$(cat d/kernel_f_v4_d128.cu)" = '// @4@ stays@ ${vec} @a b@
/* #undef half */
template <> float kernel_<float, 4, 128>() { return 1; }' ] || fail "$(cat d/kernel_f_v4_d128.cu)"
grep -qx '#define half' d/kernel_h_v8_d64.cu || fail "$(cat d/kernel_h_v8_d64.cu)"

# Text at its end, with variables of the matrix.
matrix m.json --template kernel.cu.in --append '// @dim@ ends @vec@
' --output-dir tail --name-format 'kernel_@abbrev@_v@vec@_d@dim@' >out3 2>err || fail "$(cat err)"
[ "$(tail -n 2 tail/kernel_f_v4_d128.cu)" = 'template <> float kernel_<float, 4, 128>() { return 1; }
// 128 ends 4' ] || fail "$(cat tail/kernel_f_v4_d128.cu)"
rm -r tail

# Again: nothing changes. One value more: one file a combination more, the others untouched. One less: its files go.
files d >before
generate d >out2 2>err && cmp out out2 && files d | cmp - before || fail "the second run changed something: $(cat err)"
sed 's/"1", "4"/"1", "2", "4"/' m.json >m2.json && cp m.json m1.json && mv m2.json m.json
echo 'a note' >d/notes.txt
generate d >out 2>err || fail "$(cat err)"
[ -e d/kernel_f_v2_d64.cu ] && [ "$(wc -l <out)" = 8 ] || fail "$(cat out)"
files d | grep '_v[148]_' >after
grep '_v[148]_' before | cmp -s - after || fail 'files were touched that did not change'
mv m1.json m.json
generate d >out 2>err || fail "$(cat err)"
[ ! -e d/kernel_f_v2_d64.cu ] && [ -e d/notes.txt ] && [ -e d/kernel_f_v1_d64.cu ] || fail "$(ls d)"
grep -q 'd: removed 2 sources of an earlier run that the matrix no longer makes' err || fail "not said: $(cat err)"
# The template changes: every file, and only the line's change.
sed -i s/float\ kernel/double\ kernel/ kernel.cu.in && generate d >out 2>err || fail "$(cat err)"
grep -q 'double kernel_<float, 4, 128>' d/kernel_f_v4_d128.cu || fail 'the old template'

# A directory of several: another template, another matrix, none takes the other's files away or overwrites them.
echo '// @type@ @vec@ @dim@ @abbrev@' >host.cpp.in
matrix m.json --template host.cpp.in --output-dir d --name-format 'host_@abbrev@_@dim@_@vec@' >out 2>err || fail "$(cat err)"
echo '{"x": ["1", "2"]}' >other.json
echo '// @x@' >other.cu.in
echo '// @dim@' >clash.cu.in
matrix other.json --template other.cu.in --output-dir d --name-format 'other_@x@' >out 2>err || fail "$(cat err)"
generate d >out 2>err || fail "$(cat err)"
[ "$(printf '%s\n' d/*.c* | wc -l)" = 14 ] || fail "$(ls d)"
files d >before
refused 1 'd/kernel_f_v1_d64.cu: exists, and no earlier run with this matrix and template wrote it' \
  matrix m.json --template clash.cu.in --output-dir d --name-format 'kernel_@abbrev@_v@vec@_d@dim@'
refused 1 '@x@ is not a variable' matrix m.json --template other.cu.in --output-dir e --name-format 'kernel_@abbrev@_v@vec@_d@dim@'
mkdir elsewhere && cp m.json kernel.cu.in elsewhere/ && echo '// changed' >>elsewhere/kernel.cu.in
refused 1 'd/.m.json+kernel.cu.in.outputs: lists sources of .*/m.json and .*/kernel.cu.in, other files of the same names' \
  matrix elsewhere/m.json --template elsewhere/kernel.cu.in --output-dir d --name-format 'kernel_@abbrev@_v@vec@_d@dim@'
files d | cmp -s - before || fail 'a refused run changed something'
# They have moved: the same files, of which the list is still right.
mkdir moved && mv m.json kernel.cu.in moved/
matrix moved/m.json --template moved/kernel.cu.in --output-dir d --name-format 'k_@abbrev@_v@vec@_d@dim@' >out 2>err || fail "$(cat err)"
[ ! -e d/kernel_f_v1_d64.cu ] && [ -e d/k_f_v1_d64.cu ] && [ -e d/other_1.cu ] || fail "$(ls d)"
mv moved/* .

# What is in the way is left alone; a file with the right content is as good as written.
mkdir e && cp d/k_f_v1_d64.cu e/kernel_f_v1_d64.cu && ln -s nowhere e/kernel_f_v1_d128.cu
refused 1 'e/kernel_f_v1_d128.cu: exists and is not a regular file' generate e
[ "$(find e -mindepth 1 | wc -l)" = 2 ] || fail "$(ls -A e)"
rm e/kernel_f_v1_d128.cu && generate e >out 2>err || fail "$(cat err)"
# A list must not cost a file elsewhere; one that is damaged, or none, is not overwritten.
{ sed 1,2d e/.m.json+kernel.cu.in.outputs && printf 'file %s\n' ../notes notes/x '' '#'; } >list
memo outputs <list >e/.m.json+kernel.cu.in.outputs
: >notes && mkdir e/notes && : >e/notes/x
generate e >out 2>err && [ -e notes ] && [ -e e/notes/x ] || fail "$(cat err)"
for damage in 'echo mine >' 'echo "file kernel" >>' ': >'; do
  eval "$damage e/.m.json+kernel.cu.in.outputs"
  refused 1 'outputs: expected a list that this version of .ckjit matrix. wrote; remove it' generate e
done
# A run that is stopped half-way leaves nothing that the next does not know.
rm -r e && generate e >out && rm e/kernel_f_v1_d128.cu && mkdir e/kernel_f_v1_d128.cu && sed -i 's/double kernel/int kernel/' kernel.cu.in
refused 1 'e/kernel_f_v1_d128.cu: exists and is not a regular file' generate e
rmdir e/kernel_f_v1_d128.cu && generate e >out 2>err || fail "$(cat err)"
grep -q 'int kernel' e/kernel_f_v1_d128.cu || fail 'not written'

# Into odd places.
for dir in 'a dir, it'\''s "odd"' "new
line" -dash deep/er/dir './x/../y' "$(printf '\303\251\377')"; do
  matrix m.json --template ./kernel.cu.in --output-dir="$dir" --name-format 'k_@abbrev@_v@vec@_d@dim@' >out 2>err || fail "$dir: $(cat err)"
  [ -e "./$dir/k_f_v1_d64.cu" ] || fail "$dir: $(cat out)"
  matrix m.json --template ./kernel.cu.in --output-dir="$dir" --name-format 'l_@abbrev@_v@vec@_d@dim@' >out 2>err || fail "$dir: $(cat err)"
  [ ! -e "./$dir/k_f_v1_d64.cu" ] && [ -e "./$dir/l_f_v1_d64.cu" ] || fail "$dir: $(ls "./$dir")"
done
mkdir 'odd
place' && cp m.json kernel.cu.in 'odd
place'
for i in 1 2; do
  matrix "odd
place/m.json" --template "odd
place/kernel.cu.in" --output-dir odd --name-format "k$i""_@abbrev@_v@vec@_d@dim@" >out 2>err || fail "$(cat err)"
done
[ "$(printf '%s\n' odd/*.cu | wc -l)" = 6 ] || fail "the list does not know its origin again: $(ls -A odd)"
matrix - --template kernel.cu.in --output-dir std --name-format 'k_@abbrev@_v@vec@_d@dim@' <m.json >out || fail 'standard input'
: >file
refused 1 'output-dir file/d: cannot be made' generate file/d
refused 1 'd/x.cu: cannot be written: File name too long\|name.*is too long' matrix m.json --template kernel.cu.in --output-dir d \
  --name-format "$(printf '%0240d' 0)_@abbrev@_v@vec@_d@dim@"
if [ "$(id -u)" != 0 ]; then
  mkdir ro && chmod 555 ro
  refused 1 'ro/.*cannot be written: Permission denied' generate ro
fi

# One file of all.
echo 'ROW(@type@, @vec@, @dim@)' >rows.inc.in
[ "$(matrix m.json --template rows.inc.in --output all.inc 2>err)" = all.inc ] || fail "$(cat err)"
[ "$(wc -l <all.inc)" = 6 ] && [ "$(sed -n 6p all.inc)" = 'ROW(_Float16, 8, 128)' ] || fail "$(cat all.inc)"
matrix m.json --template rows.inc.in --output - 2>err | cmp - all.inc || fail 'standard output'
stat -c %y all.inc >before
[ "$(matrix m.json --template rows.inc.in --output all.inc 2>err)" = all.inc ] && stat -c %y all.inc | cmp - before || fail 'written again'
ln -s all.inc link.inc && mkfifo pipe
matrix m.json --template rows.inc.in --output link.inc >out 2>err && [ -L link.inc ] || fail "a link is replaced: $(cat err)"
cat pipe >got & matrix m.json --template rows.inc.in --output pipe >out 2>err && wait && [ -p pipe ] && cmp -s got all.inc || fail "a pipe: $(cat err)"
refused 1 'output d: cannot be written: Is a directory' matrix m.json --template rows.inc.in --output d
refused 2 'output m.json: is m.json, which is an input' matrix m.json --template rows.inc.in --output m.json
refused 2 'output ./rows.inc.in: is rows.inc.in, which is an input' matrix m.json --template rows.inc.in --output ./rows.inc.in
refused 1 'output none/x: cannot be written' matrix m.json --template rows.inc.in --output none/x
# Names alone.
[ "$(matrix m.json --name-format '@abbrev@/@dim@' 2>err | paste -sd' ')" = 'f/64 f/128 f/64 f/128 h/64 h/128' ] || fail 'names'

# Bad names and templates.
rm -rf d
bad() {
  words=$1
  shift
  refused 1 "$words" matrix m.json --template "$@" --output-dir d
  [ ! -e d ] && [ ! -s refused.out ] || fail "$words: something was written"
}
all=@abbrev@_v@vec@_d@dim@
bad "name-format: the name 'k_64' twice; expected a variable that tells the sources apart. It comes from combination 3 of m.json, {\"type\": \"float\"" \
  kernel.cu.in --name-format k_@dim@
bad "the name 'x/f_v1_d64' contains a /" kernel.cu.in --name-format "x/$all"
bad "the name '../f_v1_d64' contains a /" kernel.cu.in --name-format "../$all"
bad "the name '' is empty" kernel.cu.in --name-format ''
bad "begins with - . or #" kernel.cu.in --name-format ".$all"
bad "begins with - . or #" kernel.cu.in --name-format "-$all"
bad "begins or ends with a blank" kernel.cu.in --name-format "$all "
bad "contains a control character" kernel.cu.in --name-format "a
$all"
bad "@abrev@ is not a variable of m.json; it has type, abbrev, vec, half, dim" kernel.cu.in --name-format "@abrev@_$all"
bad "name-format:1:1: @half@ has no value in combination 1 of m.json" kernel.cu.in --name-format "@half@_$all"
printf 'one\n  two @dim@ @tipe@\n' >bad.cu.in
bad 'bad.cu.in:2:13: @tipe@ is not a variable of m.json; it has type, abbrev, vec, half, dim' bad.cu.in --name-format "$all"
printf '#cmakedefine haff\n' >bad.cu.in
bad 'bad.cu.in:1:1: @haff@ is not a variable' bad.cu.in --name-format "$all"
printf 'x\n@half@' >bad.cu.in
bad 'bad.cu.in:2:1: @half@ has no value in combination 1 of m.json, {"type": "float", "abbrev": "f", "vec": "1", "dim": "64"}' \
  bad.cu.in --name-format "$all"
printf '#cmakedefine half @half@\n' >good.cu.in
matrix m.json --template good.cu.in --output - >out 2>err && [ "$(sort -u out | paste -sd,)" = '#define half 1,/* #undef half */' ] || fail "$(cat err out)"
bad 'template none.cu.in: cannot read it: No such file' none.cu.in --name-format "$all"
refused 2 'template kernel.in: expected a name such as kernel.cu.in' matrix m.json --template kernel.in --output-dir d --name-format "$all"
echo '{"a": []}' >empty.json
refused 1 'empty.json: /a: an empty list' matrix empty.json --template kernel.cu.in --output-dir d --name-format k
[ ! -e d ] || fail 'something was written'
