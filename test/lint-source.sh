#!/bin/sh
# test/lint/source.py finds long lines, long files, and comments that name files and functions that do not exist; the sources have none of them.
# tier: all
. "${0%/*}/common.sh"
need python3 git
cd "$here/.."
git rev-parse --git-dir >/dev/null 2>&1 || skip "not a checkout"
test/lint/source.py >"$T/found" 2>&1 || fail "$(cat "$T/found")"

# finds WANTED TEXT: the only finding in a C file with TEXT is to be WANTED, "LINE: FINDING"
samples=100
finds() {
  samples=$((samples + 1))
  printf '%s\n' "$2" >"$T/$samples.c"
  test/lint/source.py "$T/$samples.c" >"$T/found" 2>/dev/null && fail "nothing was found in: $2"
  is "$2" "$T/$samples.c:$1" "$(cat "$T/found")"
}
# passes TEXT: there is no finding
passes() {
  printf '%s\n' "$1" >"$T/good.c"
  test/lint/source.py "$T/good.c" >"$T/found" 2>&1 || fail "$(cat "$T/found")"
}
x=xyz_
wide=$(printf '%100s' x)
finds '2: 101 columns, at most 100' "int x;
 $wide"
finds '1: nowhere.c: there is no such file' '/* see nowhere.c */'
finds '2: core/nowhere.h: there is no such file' '/* see
 * core/nowhere.h */'
finds '1: main.c: write its directory too' '// main.c has the steps'
finds "1: no${x}thing(): there is no such function" "/* after no${x}thing() */"
finds '1: by now: already, now, meanwhile, or the tense alone' '/* gone by now */'
passes '/* BEHIND: the next token. NULL: there is none. */'
passes "$wide"
finds '1: 601 lines, at most 600: which concepts does it hold?' "$(seq 601)"
passes "$(seq 600)"
finds '3: it reads data of the dynamic linker without CKJIT_READS_LINKER' '/* two
 * lines */
static void *base(const struct link_map *map) {
  return (void *)map->l_addr;
}'
passes 'CKJIT_READS_LINKER static void *base(const struct link_map *map) {
  return (void *)map->l_addr;
}'
passes '/* core/base/vec.h, ck_jit_entry.h, xmalloc() */
const char *text = "/* nowhere.c */";'
