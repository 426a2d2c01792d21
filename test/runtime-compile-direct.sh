#!/bin/sh
# ckjit-compile by hand, direct mode: a file of any name becomes a shared object with a build id; no shell sees the name.
# tier: check
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unit/runtime_fixture.sh"
compile=$B/bin/ckjit-compile
source='int answer() { return VERSION; }'

build_id() {
  readelf -n "$1" | sed -n 's/ *Build ID: \(.*\)01000000$/\1/p'
}
mkdir "$T/src" "$T/out"
for name in plain 'two words' "it's \"quoted\"" '$(touch pwned)' '--output' 'back\slash' 'new
line' '*' '@file'; do
  cd "$T/src"
  echo "$source" >"./$name.cu"
  "$compile" --blob-source "./$name.cu" --blob-flags "-DVERSION=1" --output "$T/out/$name.so" || fail "$name"
  nm -D "$T/out/$name.so" | grep -q ' T _Z6answerv' || fail "$name: does not define the function"
  is "$name: build id" 49 "$(build_id "$T/out/$name.so" | wc -c)"
done
[ -e pwned ] && fail "a shell saw the name"
is "left over" "" "$(find "$T/out" -name '.tmp-*' -o -name '*.log')"

# the build id tells source, flags and architectures apart, and nothing else
id() {
  "$compile" --blob-source "$T/src/plain.cu" --output "$T/id.so" "$@"
  build_id "$T/id.so"
}
first=$(id --blob-flags -DVERSION=1)
is "the same again" "$first" "$(id --blob-flags " '-DVERSION=1' ")"
[ "$first" != "$(id --blob-flags -DVERSION=2)" ] || fail "other flags, same build id"
[ "$first" != "$(id --blob-flags -DVERSION=1 --arch gfx942)" ] || fail "other architectures, same build id"
hex=0123456789abcdef0123456789abcdef0123456789abcdef
is "given" $hex "$(id --blob-flags -DVERSION=1 --build-id $hex)"

# {root} in flags, a root with a space in its name
mkdir -p "$T/my root/include"
echo '#define VERSION 5' >"$T/my root/include/v.h"
"$compile" --blob-source "{root}/../src/plain.cu" --blob-flags '-include {root}/include/v.h' --root "$T/my root" --output "$T/r.so"

# closed streams
"$compile" --blob-source "$T/src/plain.cu" --blob-flags -DVERSION=1 --output "$T/c.so" <&- >&- 2>&-
[ -s "$T/c.so" ] || fail "closed streams"
"$compile" --blob-source "$T/nosuch.cu" --output "$T/c2.so" <&- >&- 2>&- && fail "closed streams, no source"
[ -e "$T/c2.so" ] && fail "an output from nothing"
true
