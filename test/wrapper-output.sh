#!/bin/sh
# The object is where every spelling of -o, or the default, puts it.
# tier: check
. "${0%/*}/common.sh"
cd "$T"
fake_home "$T/h"
mkdir d
blob d/x.y.cu
while read -r file args; do
  # shellcheck disable=SC2086
  "$T/h/bin/hipcc" -c d/x.y.cu $args
  test -s "$file" || fail "no $file by: $args"
  rm "$file"
done <<'END'
a.o -o a.o
b.o -ob.o
c.o --output c.o
d.o --output=d.o
d/e.o -o d/./e.o
x.y.o
g.o -o f.o -o g.o
END
# replaced, not written through: the old object may be a hard link into a cache
echo cached >cache && ln cache x.o
"$T/h/bin/hipcc" -c d/x.y.cu -o x.o
test "$(cat cache)" = cached || fail "the cache was written to"
# a link is the compiler's: one replaces it, another writes through it
ln -s d/none dangling.o && ln -s cache link.o
"$T/h/bin/hipcc" -c d/x.y.cu -o dangling.o && "$T/h/bin/hipcc" -c d/x.y.cu -o link.o
test "$(kinds h | tail -n 2 | tr '\n' ' ')" = 'host host ' || fail 'recorded with a link for its output'
test ! -e d/none && test "$(cat cache)" = cached || fail 'a link was written through'
# what is no file stays what it is
mkfifo fifo.o && cat fifo.o >fifo.read &
while ! test -p fifo.o; do sleep 0.01; done
"$T/h/bin/hipcc" -c d/x.y.cu -o fifo.o && wait $!
test -p fifo.o && test -s fifo.read || fail 'a FIFO was replaced'
# nor is a source ever replaced by its stub
blob same.o && cp same.o same
"$T/h/bin/hipcc" -x hip -c same.o
cmp -s same same.o || fail 'the source was replaced'
"$T/h/bin/hipcc" -c d/x.y.cu -o ''
"$T/h/bin/hipcc" -c d/x.y.cu -o@x.o
test "$(kinds h | tail -n 3 | tr '\n' ' ')" = 'host host host ' || fail 'recorded without a name of its own'
# what makes more than an object, or none, is compiled
for flag in -S -E -fsyntax-only -emit-llvm --save-temps "-fgpu-rdc -save-temps" --genco "-MJ x.json" --coverage -gsplit-dwarf; do
  rm -f h/wdir/manifest.json.ndjson
  # shellcheck disable=SC2086
  "$T/h/bin/hipcc" -c d/x.y.cu $flag -o y.o
  test "$(kinds h)" != blob || fail "$flag was recorded"
  test ! -e y.o || fail "$flag: a stub object was written"
done
# relocatable device code by itself is understood: blobs, and device functions alone
rm -f h/wdir/manifest.json.ndjson
"$T/h/bin/hipcc" -c d/x.y.cu -fgpu-rdc -o y.o
test "$(kinds h)" = blob && test -s y.o || fail "a blob with -fgpu-rdc is $(kinds h)"
echo 'template <> __device__ int f<3>(int x) { return x; }' >device.cu
"$T/h/bin/hipcc" -c device.cu -fgpu-rdc -o device.o
test "$(kinds h | tail -n 1)" = fragment || fail "device functions with -fgpu-rdc are $(kinds h | tail -n 1)"
"$T/h/bin/hipcc" -c device.cu -o device.o
test "$(kinds h | tail -n 1)" = host || fail "device functions without -fgpu-rdc are $(kinds h | tail -n 1)"
