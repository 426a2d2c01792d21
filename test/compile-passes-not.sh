#!/bin/sh
# What the passes do not know is left to the plain command, and its is the error message.
# tier: all
# seconds: 24
. "${0%/*}/common.sh"
. "$here/unit/compile_fixture.sh"

# no cache, no precompiled header; and none for a source that begins with something else than headers
source_file "$T/a.cu" 1
"$B/bin/ckjit-compile" --hipcc "$hipcc" --blob-source "$T/a.cu" --blob-flags "-I$T/include" --arch gfx90a --verbose \
  --output "$T/a.so" 2>"$T/a.said" || fail "$(cat "$T/a.said")"
said a 'parallel passes; precompiled headers: 0 made, 0 found, 2 passes without'
source_file "$T/b.cu" 1 '#define LATE
#include "kernel.h"'
compile b || fail "$(cat "$T/b.said")"
said b '0 made, 0 found, 2 passes without'
answer b 1001

# a GPU that the compiler does not know: its version, and some of those that it knows
"$B/bin/ckjit-compile" --hipcc "$hipcc" --blob-source "$T/a.cu" --blob-flags "-I$T/include" --arch gfx9999 \
  --output "$T/x.so" 2>"$T/a.said" && fail 'compiled for gfx9999'
grep -qE 'cannot compile for gfx9999: it is clang [0-9.]+, which knows gfx9.*, but not gfx9999; if the name is right, set CK_JIT_HIPCC to a newer compiler' "$T/a.said" ||
  fail "an unknown GPU: $(cat "$T/a.said")"

# options with which hipcc works in other steps, or leaves other files
for flags in -save-temps '-MD -MF /dev/null' -mcmodel=medium; do
  (cd "$T" && FLAGS="-O1 $flags" compile a) || fail "$flags: $(cat "$T/a.said")"
  said a 'no parallel passes'
  answer a 1001
done

# a compile error: that of the plain command, which can be repeated by hand
compile a || fail "$(cat "$T/a.said")"
source_file "$T/c.cu" 1
echo 'int wrong = nonsense;' >>"$T/c.cu"
compile c && fail 'it compiled'
said c 'no parallel passes: a step failed'
said c 'c: the compiler failed with status 1'
said c "error: use of undeclared identifier 'nonsense'"
grep -q '^command: .*hipcc.* -shared .*-x hip .*c.cu' "$T/c.said" || fail "no command: $(cat "$T/c.said")"
lacks 'the message has what a user cannot repeat' 'include-pch' "$T/c.said"
# the command can be repeated as it stands: it needs no directory that is gone
sed -n 's/^command: //p' "$T/c.said" >"$T/again.sh"
mkdir "$T/again"
(cd "$T/again" && sh "$T/again.sh") >"$T/again.said" 2>&1 && fail 'the repeated command compiled'
grep -q "error: use of undeclared identifier 'nonsense'" "$T/again.said" || fail "repeated: $(cat "$T/again.said")"
sed -i 's/nonsense/1/' "$T/c.cu"
(cd "$T/again" && sh "$T/again.sh") >"$T/again.said" 2>&1 || fail "repeated, with the source mended: $(cat "$T/again.said")"
[ -s "$T/again/c.so" ] || fail "the repeated command made no c.so here: $(ls "$T/again")"
[ "$(find "$T/c/.pch" -type f -name '*.pch' | wc -l)" = 2 ] || fail 'a wrong source cost the precompiled headers'
source_file "$T/d.cu" 4
compile d || fail "$(cat "$T/d.said")"
said d '0 made, 2 found'
[ -z "$(find "$T/c" -name '.tmp-*')" ] || fail 'something temporary is left'

# a compiler that knows no -###, one that lies, and one that is not hipcc
mkdir "$T/bin"
for lie in 'exit 1' 'echo " \"clang\" \"-cc1\"" >&2; exit' "echo ' \"ld\" \"-o\" \"x\"' >&2; exit"; do
  printf '#!/bin/sh\n[ "$1" = "-###" ] && { %s; }\nexec "%s" "$@"\n' "$lie" "$hipcc" >"$T/bin/hipcc"
  chmod +x "$T/bin/hipcc"
  compile a --hipcc "$T/bin/hipcc" || fail "$lie: $(cat "$T/a.said")"
  said a 'no parallel passes'
  answer a 1001
done
mv "$T/bin/hipcc" "$T/bin/mycc"
compile a --hipcc "$T/bin/mycc" || fail "$(cat "$T/a.said")"
lacks 'a program of another name was asked' 'parallel passes' "$T/a.said"
