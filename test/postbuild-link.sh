#!/bin/sh
# A link whose inputs are stubs: by hipcc and by CXX, the output called anything. The library calls its kernels, a second
# process takes them from the cache, and nothing about the library shows: what it needs and exports is what the stock one does.
# tier: check
# seconds: 21
. "${0%/*}/common.sh"
. "$here/unit/postbuild_fixture.sh"
kernel 1 && kernel 2 && host 1 2
objects k1 k2 host
link liba.so k1.o k2.o host.o
says 'liba.so: 2 blobs are lazy (4 functions in 1 unit), 0 compiled ahead of time, 0 dispatchers'
# for people it is one line; the file has the rest
CK_JIT_SUMMARY='' link liba.so k1.o k2.o host.o
is 'lines of the summary' 1 "$(grep -c '^ckjit-link: ' err)"
grep -q '^ckjit-link: liba\.so: 2 kernels lazy, 0 ahead of time; [0-9.]* s$' err || fail "the line: $(cat err)"
has 'the file' 'liba.so: 2 blobs are lazy (4 functions' "$work/liba/summary.txt"
CK_JIT_SUMMARY='' CK_JIT_VERBOSE=1 link liba.so k1.o k2.o host.o
says 'liba.so: 2 blobs are lazy (4 functions'
right liba.so 1 2 1
[ -e cache/k1.so ] && [ -e cache/k2.so ] || fail "cache: $(ls cache)"
CK_JIT_HIPCC=/bin/false right liba.so 1 2

# shellcheck disable=SC2016 # for the shell in there
as_build sh -c '$CXX k1.o k2.o host.o -shared -o "an output"' || fail "$(cat err)"
says 'an output: 2 blobs are lazy'
right 'an output' 1 2

mkdir stock && cd stock
for name in k1 k2 host; do
  hipcc -x c++ -fPIC -fvisibility=hidden -I.. -c "../$name.cpp" -o "$name.o" 2>log || fail "$(cat log)"
done
hipcc -shared -o liba.so ./*.o 2>log || fail "$(cat log)"
cd ..
for lib in liba.so stock/liba.so; do
  readelf -d $lib | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u >$lib.needed
  readelf --dyn-syms -W $lib | awk '$7 != "UND" && $4 == "FUNC" && $5 != "WEAK" { print $8 }' | sort >$lib.exported
done
new=$(comm -23 liba.so.needed stock/liba.so.needed)
[ -z "$new" ] || fail "it needs $new"
cmp -s liba.so.exported stock/liba.so.exported || fail "it exports $(cat liba.so.exported), not $(cat stock/liba.so.exported)"
