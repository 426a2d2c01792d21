#!/bin/sh
# An object in the cache that is truncated, changed, another's or a link is not used: it is compiled again. What is too much
# is removed, the oldest first; clean removes it all.
# tier: all
# seconds: 12
. "${0%/*}/common.sh"
. "${0%/*}/unit/fragments_fixture.sh"
matrix
is 'a call' 100 "$(calls libm.so 100)"
is 'objects' 3 "$(find cache/.fragments -name '*.o' | wc -l)"
is 'their mode' '600 600 600 ' "$(stat -c %a cache/.fragments/*.o | tr '\n' ' ')"
object() { grep -lq "_Z4keepi" cache/.fragments/*.o && grep -la 'all.cu' cache/.fragments/*.o; }
all=$(object)
[ -f "$all" ] || fail "which object is of all.cu: $all"
cp "$all" whole
again() {
  reset
  rm -f cache/*.so cache/.fragments/*.linked
  is "a call, $1" 100 "$(calls libm.so 100)"
  is "compiled again, $1" "$2" "$(made object)"
  cmp -s "$all" whole || [ "$(stat -c %s "$all")" = "$(stat -c %s whole)" ] || fail "$1: it is not as it was"
}
again 'nothing changed' ''
head -c 3000 whole >"$all"
again 'cut short' 'all.o '
printf x | dd of="$all" bs=1 seek=2000 conv=notrunc 2>/dev/null
again 'changed' 'all.o '
other=$(find cache/.fragments -name '*.o' ! -path "$all" | head -n 1)
cp "$other" "$all"
again "another's" 'all.o '
rm "$all"
ln -s "$T/whole" "$all"
again 'a symbolic link' 'all.o '
[ ! -L "$all" ] || fail 'the symbolic link stayed'

# prebuild clean knows them, and so does the limit of the cache
touch -d '2 days ago' cache/.fragments/*
reset
export CK_JIT_CACHE_MAX_SIZE=45k
is 'a call with a limit' 111 "$(calls libm.so 111)"
unset CK_JIT_CACHE_MAX_SIZE
[ ! -e "$all" ] || fail "the oldest object stayed: $(ls -l cache/.fragments)"
"$prebuild" clean --cache-dir cache --all >/dev/null
is 'left by clean' '' "$(find cache -type f)"
