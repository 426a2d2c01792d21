#!/bin/sh
# CK_JIT_COMPILER_LAUNCHER=ccache: a HIP kernel whose entry is gone comes out of ccache, the same code under the same key; an edited
# header is a miss. The plain compile and its precompiled headers are not used.
# tier: all
# seconds: 14
. "${0%/*}/common.sh"
. "$here/unit/compile_fixture.sh"
need ccache objdump
source_file "$T/a.cu" 7
export CCACHE_DIR="$T/ccache"
unset CCACHE_DISABLE CCACHE_CONFIGPATH CCACHE_RECACHE

# stat NAME: a counter of ccache's
stat_of() {
  ccache --print-stats | sed -n "s/^$1[[:space:]]*//p"
}
# counts WHAT HITS MISSES
counts() {
  found=$(($(stat_of direct_cache_hit) + $(stat_of preprocessed_cache_hit)))/$(stat_of cache_miss)
  [ "$found" = "$2/$3" ] || fail "$1: hits/misses $found, not $2/$3: $(ccache --print-stats)"
}
# code NAME FILE: what its host code and its code object are
code() {
  objdump -d --no-show-raw-insn -j .text "$T/c/a.so" | sed -e 1,3d -e 's/^ *[0-9a-f]*:\t*//' -e 's/0x[0-9a-f]*(%rip).*//' \
    -e 's/<.*>//' -e 's/\(call\|jmp\) *[0-9a-f]*/\1/' -e 's/^[0-9a-f]* //' >"$1.text"
  objcopy -O binary -j .hip_fatbin "$T/c/a.so" "$1.fatbin"
}
build_id() {
  readelf -n "$T/c/a.so" | sed -n 's/.*Build ID: //p'
}

FLAGS='-O1 -Wl,-z,now -Werror' compile a || fail "plain: $(cat "$T/a.said")"
code "$T/plain"
plain=$(build_id)
rm -rf "$T/c/.pch"

export CK_JIT_COMPILER_LAUNCHER=ccache
FLAGS='-O1 -Wl,-z,now -Werror' compile a || fail "$(cat "$T/a.said")"
counts 'the first compile' 0 1
said a "$(command -v ccache) $hipcc -O1"
[ ! -e "$T/c/.pch" ] || fail 'a precompiled header was made'
code "$T/miss"
FLAGS='-O1 -Wl,-z,now -Werror' compile a || fail "$(cat "$T/a.said")"
counts 'the second' 1 1
code "$T/hit"
answer a 1007
[ "$(build_id)" = "$plain" ] || fail "another build id with the launcher"
for form in miss hit; do
  cmp -s "$T/plain.text" "$T/$form.text" || fail "$form: other host code: $(diff "$T/plain.text" "$T/$form.text")"
  cmp -s "$T/plain.fatbin" "$T/$form.fatbin" || fail "$form: another code object"
done

echo '#define VALUE 2000' >"$T/include/value.h"
compile a || fail "$(cat "$T/a.said")"
counts 'other headers' 1 2
answer a 2007

# Its arguments are words of the list. A launcher that fails takes no kernel with it: it is said, and compiled without.
CK_JIT_COMPILER_LAUNCHER="env;CCACHE_DIR=$T/other cache;ccache" compile a || fail "$(cat "$T/a.said")"
[ -d "$T/other cache" ] || fail 'the words before ccache were not used'
counts 'another cache' 1 2
CK_JIT_COMPILER_LAUNCHER='ccache;--nonsense' compile a || fail "$(cat "$T/a.said")"
said a 'a: compiled again without the launcher: a: the compiler failed with status 1'
said a "ccache: unrecognized option '--nonsense'"
answer a 2007

# What is wrong with a source is said by the compiler, and named.
echo '#error no such kernel' >>"$T/a.cu"
compile a && fail 'a broken source was compiled'
said a 'error: no such kernel'
said a 'a: the compiler failed with status'
