#!/bin/sh
# make demo prints figures that agree with what it made: the kernels of the library and of the cache, each once; the time of the regular
# compiler beside ckjit's, with how many kernels it is from. Its last line leads to the reader's own library.
# tier: long
# seconds: 60
. "${0%/*}/common.sh"
need_hipcc
need ninja python3
unset CK_JIT_WARM # so that the cache has a record of use, .used/libmha_fwd.so
mkdir "$T/b"
for dir in bin libexec lib share; do ln -s "$B/$dir" "$T/b/$dir"; done
B=$T/b "$here/demo" >"$T/out" 2>"$T/err" || fail "$(cat "$T/out" "$T/err")"
has 'the library' '64 kernels in the library, 0 of them compiled.' "$T/out"
has 'what the calls compiled' "4 kernels compiled, in $T/b/demo/cache" "$T/out"
entries=$(find "$T/b/demo/cache" -maxdepth 1 -name 'fmha*.so' | wc -l)
is 'entries of the cache: the calls, and one ahead of time' 5 "$entries"
[ "$(find "$T/b/demo/cache" -name '*.so' | wc -l)" -gt "$entries" ] || fail "nothing is in the cache that only looks like an entry: $(find "$T/b/demo/cache")"
has 'the link is one line' 'ckjit-link: libmha_fwd.so: 64 kernels lazy, 0 ahead of time; ' "$T/out"
lacks 'and no details' 'blobs are lazy' "$T/out"
lacks 'no escape code' "$(printf '\033')" "$T/out"
# as many objects of the regular compiler as it says
compiled=$(sed -n 's/^hipcc compiled \([0-9]*\) of the 64 kernels, [0-9]* at a time, in [0-9.]* s\..*/\1/p' "$T/out")
is 'kernels compiled regularly' "$(find "$T/b/demo/regular" -name '*.o' -size +4k | wc -l)" "$compiled"
grep -q "^  kernels, regularly compiled  *~[0-9.]* s   64 kernels: $compiled of them took [0-9.]* s, the rest is estimated" "$T/out" || fail "$(cat "$T/out")"
for line in 'the build through ckjit  *[0-9.]* s   none compiled' 'first calls  *[0-9.]* s   4 kernels compiled, ' 'the calls in another process  *[0-9.]* s   none'; do
  grep -q "^  $line" "$T/out" || fail "no line '$line': $(cat "$T/out")"
done
case $(tail -n 1 "$T/out") in *"$T/b/bin/ckjit run -- COMMAND"*) ;; *) fail "the last line: $(tail -n 1 "$T/out")" ;; esac
