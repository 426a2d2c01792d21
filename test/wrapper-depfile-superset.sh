#!/bin/sh
# The depfile of a recorded unit names every header of the build's own that the compiler names, spelled the same way.
# tier: check
. "${0%/*}/common.sh"
need c++
cd "$here/.."
fake_home "$T/h" 'yes=*'
headers() {
  tr ' ' '\n' <"$1" | sed -n '/\.h$/p' | sort -u
}
count=0
for source in core/*.c wrapper/*.c postbuild/*.c; do
  test -e "$source" || continue
  ! grep -q '[.]incbin\|__has_embed' "$source" || continue # the real compiler's (core/cc/takes.h)
  c++ -fsyntax-only -E -x c++ -I. -Icore -MMD -MF "$T/theirs" -MT x "$source" -o /dev/null
  "$T/h/bin/hipcc" -x c++ -c -I. -Icore -MMD -MF "$T/ours" "$source" -o "$T/x.o"
  headers "$T/theirs" >"$T/want"
  headers "$T/ours" >"$T/got"
  test -z "$(comm -23 "$T/want" "$T/got")" || fail "$source: missing $(comm -23 "$T/want" "$T/got" | tr '\n' ' ')"
  count=$((count + $(wc -l <"$T/want")))
done
test "$count" -gt 20 || fail "only $count headers compared"
