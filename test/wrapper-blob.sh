#!/bin/sh
# A blob is recorded, not compiled: a valid empty object that carries the record, the same line in the manifest. A host
# source beside it goes to the real compiler.
# tier: check
. "${0%/*}/common.sh"
need readelf
cd "$T"
fake_home "$T/h"
blob new_family_d128.cu
# the compiler says what is wrong with an output that cannot be written
SHIM_STATUS=3 "$T/h/bin/hipcc" -DX -c new_family_d128.cu -o out/../b.o 2>err && fail "an output in no directory was written"
grep -qx '<out/../b.o>' h/real.log || fail "the compiler was not called: $(cat err)"
rm h/real.log h/wdir/manifest.json.ndjson
"$T/h/bin/hipcc" -DX -c new_family_d128.cu -o b.o
test ! -e h/real.log || fail "a blob reached the compiler"
readelf -h b.o | grep -q 'REL (Relocatable' || fail "no relocatable object"
readelf -SW b.o | grep -q '\.ckjit\.record .* E ' || fail "no excluded record section"
readelf -SW b.o | grep -q '\.note\.GNU-stack' || fail "no .note.GNU-stack"
want="{\"ckjit\":1,\"kind\":\"blob\",\"stem\":\"new_family_d128\",\"source\":\"$T/new_family_d128.cu\",\"output\":\"$T/b.o\",\
\"cwd\":\"$T\",\"compiler\":\"$T/h/real/bin/hipcc\",\"compiler_kind\":\"hip\",\"rule\":\"specialisations\",\"line\":3,\"args\":[\"-DX\",\"-c\",\"new_family_d128.cu\",\"-o\",\"b.o\"]}"
test "$(cat h/wdir/manifest.json.ndjson)" = "$want" || fail "record: $(cat h/wdir/manifest.json.ndjson)"
in_object=${want%,\"args\":*},\"source_text\":\"$(sed 's/\\/\\\\/g; s/"/\\"/g; s/$/\\n/' new_family_d128.cu | tr -d '\n')\",\"args\":${want#*,\"args\":}
grep -qF "$in_object" b.o || fail "the object does not carry the record, with the source's text"

echo 'int f() { return 1; }' >host.cu
"$T/h/bin/hipcc" -c host.cu -o host.o
grep -q '<host.cu>' h/real.log || fail "a host source did not reach the compiler"
test ! -e host.o || fail "the wrapper wrote the output of a host source"
grep -q '"rule":"function","line":1,"text":"int f()","args":' h/wdir/manifest.json.ndjson || fail "the record does not say why: $(tail -n 1 h/wdir/manifest.json.ndjson)"
test "$(kinds h | tr '\n' ' ')" = "blob host " || fail "kinds: $(kinds h)"
