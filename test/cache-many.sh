#!/bin/sh
# A cache of thousands of entries: a miss makes no more system calls than in an empty one, `cache` and `verify` a few for each entry. Limits are
# kept all the same, what killed compiles left goes, and what ckjit wrote down of its last look decides nothing but when to look.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/memo_fixture.sh"
need gcc objcopy strace
strace -qq -o /dev/null -e inject=getpid:error=EPERM true || skip "strace cannot be used here"
# shellcheck disable=SC1091
. "${0%/*}/unit/runtime_fixture.sh"
COUNT=3000
many m 40
gcc -O1 -std=gnu11 -I"$top" -I"$top/abi" -o "$T/entries" "$top/bench/helpers/entries.c"
printf 'int value(int x) { return x; }\n' >"$T/e.c"
gcc -shared -fPIC -nostdlib -s -Wl,--build-id="0x$(printf '%048d' 0 | tr 0 a)01000000" -o "$T/e.so" "$T/e.c"
cat >"$T/drv.c" <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
  char name[64];
  snprintf(name, sizeof name, "_Z6value_ILi%sEEii", argv[argc - 1]);
  void *library = dlopen(argv[1], RTLD_NOW);
  int (*value)(int) = library ? (int (*)(int))dlsym(library, name) : NULL;
  printf("%d\n", value ? value(5) : -1);
  return 0;
}
C
gcc -o "$T/drv" "$T/drv.c" -ldl
export CK_JIT_CACHE_DIR="$T/cache"
last=$T/cache/.locks/lastlook

# call N: kernel N is called
call() {
  "$T/drv" "$T/m/libkernels.so" "$1" >"$T/out" 2>&1 || fail "$(cat "$T/out")"
  is "kernel $1" "$((1000 * $1 + 5))" "$(cat "$T/out")"
}
# calls COMMAND…: how many system calls it makes
calls() {
  strace -f -qq -c -o "$T/counts" "$@" >/dev/null
  awk '$NF == "total" { print $4 }' "$T/counts"
}
# look TIME NAMES REST: write a last look
look() {
  printf %s "$*" | memo lastlook >"$last"
}
# rest N: the last look from its field N on
rest() {
  sed 1,2d "$last" | cut -d ' ' -f "$1-"
}
# fresh: the last look was now, at so many names that a busy machine comes in time
fresh() {
  look "$(date +%s)" 500000 "$(rest 3)"
}
entries() {
  find "$T/cache" -maxdepth 1 -name '*.so' | wc -l
}

call 0 # makes the cache
empty=$(calls "$T/drv" "$T/m/libkernels.so" 1)
"$T/entries" "$T/e.so" "$T/cache" $COUNT 100
call 2
[ -s "$last" ] || fail "the look at $COUNT entries was not written down"
fresh
full=$(calls "$T/drv" "$T/m/libkernels.so" 3)
[ "$full" -lt $((empty + 100)) ] || fail "a miss makes $full system calls beside $COUNT entries, $empty in an empty cache"

# limits: nothing is looked at until one is passed; then there is room for a while
export CK_JIT_CACHE_MAX_FILES=$((COUNT + 6))
call 4
fresh
limited=$(calls "$T/drv" "$T/m/libkernels.so" 5)
[ "$limited" -lt $((empty + 100)) ] || fail "a miss makes $limited system calls within a limit, $empty in an empty cache"
is "entries at the limit" $((COUNT + 6)) "$(entries)"
call 6
[ "$(entries)" -le $((COUNT + 6)) ] || fail "$(entries) entries, more than the limit"
[ "$(entries)" -gt $((COUNT - 60)) ] || fail "only $(entries) entries are left"
fresh
limited=$(calls "$T/drv" "$T/m/libkernels.so" 7)
[ "$limited" -lt $((empty + 100)) ] || fail "a miss makes $limited system calls behind an eviction, $empty in an empty cache"
unset CK_JIT_CACHE_MAX_FILES
have=$(entries)
CK_JIT_CACHE_MAX_SIZE=1M call 8
[ "$(entries)" -lt "$have" ] || fail "a limit of bytes was not kept"

# what others added without a word is seen when the time is over, and so is what a killed compile left
"$T/entries" "$T/e.so" "$T/cache" $COUNT 10000
rm "$last"
CK_JIT_CACHE_MAX_FILES=100000 call 9
"$T/entries" "$T/e.so" "$T/cache" $COUNT 20000
fresh
left=$T/cache/.tmp-$(printf '%048d' 0)-11111111.11111111.1.1-abcdef
mkdir "$left"
touch -d '2 hours ago' "$left"
limit=$((COUNT + 1000))
CK_JIT_CACHE_MAX_FILES=$limit call 10
[ "$(entries)" -gt $limit ] || fail "$COUNT files of others were seen at once"
[ -d "$left" ] || fail "all of the cache was swept at once"
look "$(($(date +%s) - 3600))" "$(rest 2)"
CK_JIT_CACHE_MAX_FILES=$limit call 11
[ "$(entries)" -le $limit ] || fail "$(entries) entries, more than the limit of $limit"
[ -d "$left" ] && fail "what a killed compile left is there an hour later"

# a last look that says nothing, or lies: all of it is looked at
n=12
for text in "" "x" "9999999999 5000 1 0 0" "-1 -1 1 0 0" "$(date +%s) 5000 1 0" NO-MEMO FIFO LONG DIRECTORY; do
  mkdir "$left"
  touch -d '2 hours ago' "$left"
  rm -f "$last"
  case $text in
  FIFO) mkfifo "$last" ;;
  DIRECTORY) mkdir "$last" ;;
  LONG) truncate -s 1G "$last" ;;
  NO-MEMO) printf '%s\n' "$(date +%s) 5000 1 0 0" >"$last" ;;
  *) look "$text" ;;
  esac
  call $n
  [ -d "$left" ] && fail "with '$text' as the last look, nothing was looked at"
  [ ! -d "$last" ] || rmdir "$last"
  n=$((n + 1))
done

# many at once, beyond the limit: each succeeds, and the limit holds
limit=$(entries)
export CK_JIT_CACHE_MAX_FILES="$limit"
for k in 30 31 32 33 34 35; do
  "$T/drv" "$T/m/libkernels.so" $k >"$T/out.$k" 2>&1 &
done
wait
for k in 30 31 32 33 34 35; do
  is "at once: $k" $((1000 * k + 5)) "$(cat "$T/out.$k")"
done
call 36
[ "$(entries)" -le "$limit" ] || fail "$(entries) entries, more than the limit of $limit"
unset CK_JIT_CACHE_MAX_FILES

# a few system calls for each entry
have=$(entries)
each=$(($(calls "$B/bin/ckjit-prebuild" cache) / have))
[ $each -le 5 ] || fail "cache makes $each system calls for an entry"
again=$(($(calls "$B/bin/ckjit-prebuild" cache) * 10 / have))
[ $again -le 30 ] || fail "cache makes $again system calls for ten entries whose architectures it knows"

# what the memo of architectures says of another file, or says damaged, is not said of an entry
{
  printf '__CLANG_OFFLOAD_BUNDLE__\1\0\0\0\0\0\0\0'
  printf '\200\0\0\0\0\0\0\0\200\0\0\0\0\0\0\0\37\0\0\0\0\0\0\0hipv4-amdgcn-amd-amdhsa--gfx942'
  head -c 169 /dev/zero
} >"$T/code"
objcopy --add-section .hip_fatbin="$T/code" "$T/e.so" "$T/e942.so"
archs() {
  "$B/bin/ckjit-prebuild" cache | awk '/^By architecture/ { on = 1; next } /^[^ ]/ { on = 0 } on { print $1, $NF }'
}
cp "$T/e942.so" "$T/cache/k-new.so"
is "architectures" "$have only
1 gfx942" "$(archs | sort -rn)"
memo=$T/cache/.locks/archs
rm "$T/cache/k-new.so"
cp "$T/e.so" "$T/cache/k-new.so"
is "architectures of a replaced file" "$((have + 1)) only" "$(archs)"
sed -i 's/ $/ gfx90a/' "$memo"
is "architectures, the memo changed by hand" "$((have + 1)) only" "$(archs)"
rm "$T/cache/k-new.so"
"$B/bin/ckjit-prebuild" cache >/dev/null
each=$(($(calls "$B/bin/ckjit-prebuild" verify) / have))
[ $each -le 14 ] || fail "verify makes $each system calls for an entry"
"$B/bin/ckjit-prebuild" verify >"$T/out"
has "verify" "$have files verified" "$T/out"
bad=$(find "$T/cache" -maxdepth 1 -name 'k2*.so' | head -n 1)
printf x >>"$bad"
ln -s e.so "$T/cache/link.so"
"$B/bin/ckjit-prebuild" verify --repair >"$T/out" && fail "verify found nothing wrong with a damaged entry"
has "verify" "damaged	${bad##*/}" "$T/out"
has "verify" "foreign	link.so" "$T/out"
