#!/bin/sh
# A kernel without code for an architecture, an architecture that the compiler does not know and an unknown format are errors
# that name them, whatever the format, and nothing is written. What is empty everywhere is exported, with a word.
# tier: all
# seconds: 21
. "${0%/*}/common.sh"
. "$here/unit/export_fixture.sh"
for format in so bitcode; do
  refused 1 'k32: no code for gfx908: an #if removes its kernel' k32 --format $format --arch gfx908 --output f
done
for format in obj asm; do
  refused 1 'k16: no code for gfx908: its kernel is empty .* there is code for gfx90a' k16 --format $format --arch gfx908 --output f
done
refused 1 'k32: no code for gfx908' k64 k32 --format so --arch 'gfx90a;gfx908' --output f
refused 1 'k32: no code for gfx908' k32 k64 --format code-object --arch gfx908 --output new/dir/
refused 1 'k16: no code for gfx908' k16 --format code-object --symbol x --arch gfx908 --output f
refused 1 'architecture gfx9999' k64 --format so --arch gfx9999 --output f
refused 1 'architecture gfx90a:nothing+' k64 k128 --format asm --arch 'gfx90a:nothing+' --output d/
refused 2 "unknown format 'elf': expected so, obj, code-object, bitcode or asm" k64 --format elf --output f
refused 2 '--format FORMAT is missing' k64 --output f
refused 2 '--output PATH is missing' k64 --format so
refused 2 "arch 'gfx90a!'" k64 --format so --arch 'gfx90a!' --output f
refused 2 "arch ';'" k64 --format so --arch ';' --output f
refused 1 "unknown blob 'k65'" k64 k65 --format so --output f
refused 1 'no blob is named' --blob-list /dev/null --format so --output f
refused 2 'expected blobs' --format so --output f
for format in so bitcode; do
  export_ k8 --format $format --output "k8.$format"
  grep -q 'k8: the kernel is empty for gfx90a' "$T/export.err" || fail "$format: not a word: $(cat "$T/export.err")"
done
# What compiles not at all is the compiler's to say.
cp -r "$demo" "$T/demo" && echo 'error here' >>"$T/demo/k64.cu"
python3 - "$CK_JIT_MANIFEST" "$T/m.json" "$demo" "$T/demo" <<'END'
import json, sys
m = json.load(open(sys.argv[1]))
for b in m["blobs"].values():
    b["source"] = b["source"].replace(sys.argv[3], sys.argv[4])
m["groups"][0].pop("inputs")
json.dump(m, open(sys.argv[2], "w"))
END
refused 1 'k64: the compiler failed with status 1' k128 k64 --manifest "$T/m.json" --format obj --output d/
grep -q "k64.cu.*error" "$T/export.err" || fail "not what the compiler said: $(cat "$T/export.err")"
