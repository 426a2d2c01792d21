#!/bin/bash
# Nothing that others may have written is used for a launch of a lazy unit's kernel: a cache that is open to others, an entry that they can write
# to, a read-only cache of theirs, a text in a build tree of theirs that is not the unit's own. The launch says which and returns HIP's error, or the
# kernel is compiled.
# tier: all
# seconds: 20
. "${0%/*}/common.sh"
# With one processor no front end runs beside the first kernel (units-hip-front.sh), so its entry is not there.
one_processor "$0" "$@"
. "$here/unit/hip_fixture.sh"
two_units
export CK_JIT_VERBOSE=1
# launch WHAT EXPECTED KERNEL…: what ./main prints of KERNEL…; what is said is in the file said
launch() {
  what=$1 expected=$2
  shift 2
  run ./main "$@" >got 2>said || fail "$what: $(cat said)"
  is "$what ($(cat said))" "$expected" "$(tr '\n' ' ' <got)"
}

launch 'first launch' 'a0 0 ' a0
entry=$(find cache -maxdepth 1 -name 'a-*.so')

# the cache: nothing is loaded from it, nothing compiled into it
chmod 755 cache
launch 'an open cache' 'a0 98 a1 98 ' a0 a1
has 'an open cache' "cache directory $T/cache is open to other users" said
lacks 'an open cache: compiled' ': compiled in' said
is 'an open cache: entries' "$entry" "$(find cache -maxdepth 1 -name '*.so')"
chmod 700 cache
launch 'closed again' 'a0 0 ' a0
has 'closed again' ': loaded from' said

# an entry that others can write to: it is compiled again
chmod 666 "$entry"
launch 'an open entry' 'a0 0 ' a0
is 'an open entry: compiled' 1 "$(grep -c ': compiled in' said)"
lacks 'an open entry: loaded' "loaded from $T/$entry\$" said
launch 'an open entry, again' 'a0 0 ' a0
lacks 'an open entry, again: compiled' ': compiled in' said

# a read-only cache that others can write to
mv cache readonly
chmod 777 readonly
CK_JIT_CACHE_READONLY_DIR=$T/readonly launch 'an open read-only cache' 'a0 0 ' a0
has 'an open read-only cache' "$T/readonly" said
is 'an open read-only cache: compiled' 1 "$(grep -c ': compiled in' said)"
rm -r cache
chmod 755 readonly
CK_JIT_CACHE_READONLY_DIR=$T/readonly launch 'a read-only cache' 'a0 0 ' a0
lacks 'a read-only cache: compiled' ': compiled in' said
chmod 700 readonly

# The tree of the build, to which others may write: a text is believed if it is the one that the unit's key was made of.
chmod 777 home/work home/work/.units
rm -rf cache
text=$(find home/work/.units -name "$(basename "$entry" .so | sed 's/^a-//; s/[.].*//')*.text")
cp "$text" kept
find home/work/.units -name '*.text' ! -path "$text" -exec cp {} forged ';'
cp forged "$text"
launch "another's text" 'a1 98 ' a1
has "another's text" "$T/$text" said
lacks "another's text: compiled" ': compiled in' said
cp kept "$text"
launch 'its own text' 'a1 0 ' a1
