#!/bin/sh
# `ld -r` of stubs is a stub of all their records; no record gets into a program.
# tier: check
. "${0%/*}/common.sh"
need as c++ readelf
cd "$T"
fake_home "$T/h" 'compiler=ld' "real_compiler=$(command -v ld)"
blob a.cu && "$T/h/bin/hipcc" -c a.cu -o a.o
blob b.cu && "$T/h/bin/hipcc" -c b.cu -o b.o
# what ckjit-link defines where stubs stay (test/wrapper-foreign-link.sh)
symbol=recorded_by_ckjit__link_this_object_with_the_compiler_of_its_fake_home
printf '.weak %s\n.hidden %s\n.section .rodata\n%s: .long 0\n.section .note.GNU-stack,"",@progbits\n' $symbol $symbol $symbol >allowed.s
as allowed.s -o allowed.o
for ld in ld ld.lld ld.gold; do
  command -v "$ld" >/dev/null || continue
  "$ld" -r a.o b.o -o both.o || fail "$ld -r"
  test "$(grep -ac '"ckjit":1' both.o)" = 2 || fail "$ld -r: $(grep -ac '"ckjit":1' both.o) records, not 2"
  rm -f h/link.log
  "$T/h/bin/hipcc" -shared both.o -o x.so
  test -e h/link.log || fail "a partial link by $ld is not seen as a stub"
  "$ld" -shared allowed.o a.o b.o both.o -o x.so 2>err || fail "$ld -shared: $(cat err)"
  test ! -s err || fail "$ld warns: $(cat err)"
  lacks "$ld: a record in a library" '"ckjit":1' x.so
  readelf -lW x.so | lacks "$ld: an executable stack" 'GNU_STACK.*RWE' -
  rm -f both.o x.so
done
exit 0
