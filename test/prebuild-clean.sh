#!/bin/sh
# clean removes entries of the cache and nothing else: given blobs, or all with what lies beside them, but not what a running
# compile works on.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
. "$here/unit/prebuild_fixture.sh"
need flock
install_tree
export CK_JIT_CACHE_DIR="$T/cache"
prebuild build blob_1 blob_2 blob_3 >"$T/out" || fail "$(cat "$T/out")"
prebuild build blob_1 --arch gfx90a >"$T/out" || fail "$(cat "$T/out")"
prebuild build blob_FAIL_HERE >"$T/out" 2>&1 && fail 'it compiled'
echo 'int theirs;' >"$T/theirs.c" && cc -shared -fPIC -o "$T/cache/theirs.so" "$T/theirs.c"
echo text >"$T/cache/notes.so" && ln -s "$T/rocm/bin/hipcc" "$T/cache/link.so"

prebuild clean blob_1 blob_FAIL_HERE "$T/cache/blob_3.so" >"$T/out" || fail "$(cat "$T/out")"
grep -q '^3 removed' "$T/out" || fail "$(cat "$T/out")"
[ "$(ls "$T/cache")" = "$(printf '%s\n' blob_2.so link.so notes.so theirs.so)" ] || fail "left: $(ls "$T/cache")"
[ -z "$(ls "$T/cache/.logs")" ] || fail 'the log of a removed blob is left'

busy=$(printf '%048d' 1) dead=$(printf '%048d' 2)
mkdir -p "$T/cache/.tmp-$busy-aaaaaa" "$T/cache/.tmp-$dead-bbbbbb"
: >"$T/cache/.locks/$busy" && : >"$T/cache/.locks/$dead" && : >"$T/cache/.locks/$dead.failed"
mkdir "$T/cache/.pch" && : >"$T/cache/.pch/$dead.pch" && : >"$T/cache/.pch/$dead.list" && : >"$T/cache/.pch/theirs"
head -c 1000 "$T/cache/blob_2.so" >"$T/cache/cut.$dead.so"
# what killed compiles left, without a manifest
rm "$I/ck_jit_manifest.json"
in_cache() { find "$T/cache" "$T/cache/.pch" -mindepth 1 -maxdepth 1 | sort; }
in_cache >"$T/before"
flock "$T/cache/.locks/$busy" "$I/ckjit-prebuild" clean --stalled >"$T/out" || fail "$(cat "$T/out")"
grep -v "/\.tmp-$dead" "$T/before" >"$T/expected"
in_cache | cmp -s - "$T/expected" || fail "--stalled: $(in_cache | diff "$T/expected" -)"
[ ! -e "$T/cache/.locks/$dead" ] && [ -e "$T/cache/.locks/$busy" ] || fail "--stalled: $(ls "$T/cache/.locks")"
refused 2 'clean: --stalled removes no blobs' prebuild clean --stalled --all
refused 2 'clean: --stalled removes no blobs' prebuild clean --stalled blob_2
refused 2 'build: --stalled goes with clean' prebuild build --stalled
mkdir -p "$T/cache/.tmp-$dead-bbbbbb" && : >"$T/cache/.locks/$dead"
# nor to remove everything
flock "$T/cache/.locks/$busy" "$I/ckjit-prebuild" clean --all >"$T/out" || fail "$(cat "$T/out")"
grep -q '^2 removed' "$T/out" || fail "$(cat "$T/out")"
[ "$(ls -A "$T/cache")" = "$(printf '%s\n' .locks .logs .pch ".tmp-$busy-aaaaaa" .used link.so notes.so theirs.so)" ] ||
  fail "left: $(ls -A "$T/cache")"
[ "$(ls "$T/cache/.locks")" = "$busy" ] || fail "locks: $(ls "$T/cache/.locks")"
[ "$(ls "$T/cache/.pch")" = theirs ] || fail "precompiled headers: $(ls "$T/cache/.pch")"
refused 1 "clean: the cache directory $T/nowhere (--cache-dir) does not exist; correct the name, or compile kernels into it with" prebuild clean --all --cache-dir "$T/nowhere"
refused 1 "clean: the cache directory $T/nowhere (CK_JIT_CACHE_DIR) does not exist" env CK_JIT_CACHE_DIR="$T/nowhere" "$I/ckjit-prebuild" clean --all
echo >"$T/file"
refused 1 "clean: the cache directory $T/file (--cache-dir) is not a directory" prebuild clean --all --cache-dir "$T/file"
# the default one that nothing was compiled into yet
env -u CK_JIT_CACHE_DIR XDG_CACHE_HOME="$T/xdg" "$I/ckjit-prebuild" clean --all >"$T/out" 2>"$T/err" || fail 'the default is not there yet'
grep -q '^0 removed' "$T/out" && grep -q "note: the cache directory $T/xdg/ck_jit does not exist yet" "$T/err" || fail "$(cat "$T/out" "$T/err")"
[ ! -e "$T/xdg" ] || fail 'it was made'

# a directory that is no cache, with names like ours in it
mkdir -m 700 "$T/home" "$T/home/.locks" "$T/home/.compilers" "$T/home/.pch" "$T/home/other" "$T/home/other/.logs" "$T/home/other/.fragments"
for file in .locks/door .compilers/gcc.txt .pch/stdafx.h other/.logs/mail.log other/.fragments/a.o; do : >"$T/home/$file"; done
for dir in home home/other; do
  chmod 700 "$T/$dir"
  prebuild clean --all --cache-dir "$T/$dir" >"$T/out" 2>&1 || fail "$dir: $(cat "$T/out")"
  grep -q '^0 removed' "$T/out" || fail "$dir: $(cat "$T/out")"
done
[ "$(find "$T/home" -type f | wc -l)" = 5 ] || fail "left of what is not ours: $(find "$T/home" -type f)"

# Several at once: what another one has removed already is removed.
for round in 1 2 3; do
  mkdir -p "$T/many/.logs" "$T/many/.locks"
  chmod 700 "$T/many"
  i=0
  while [ $i -lt 400 ]; do
    i=$((i + 1))
    : >"$T/many/.logs/k$i.log"
  done
  pids=
  for n in 1 2 3 4; do
    "$B/bin/ckjit-prebuild" clean --all --cache-dir "$T/many" >"$T/clean.$n" 2>&1 &
    pids="$pids $!"
  done
  for pid in $pids; do
    wait "$pid" || fail "round $round: one of four cleans failed: $(cat "$T"/clean.* | head -n 3)"
  done
  [ -z "$(ls "$T/many/.logs")" ] || fail "round $round: logs are left"
done
# names that only ckjit gives prove nothing in a directory without .locks; in a cache they do
mkdir -m 700 "$T/mine"
for file in .times .times.tmp.bak .stats "a.$dead.so" ".tmp-$dead-aaaaaa"; do echo mine >"$T/mine/$file"; done
mkdir -m 700 "$T/mine/.pch" "$T/mine/.compilers"
: >"$T/mine/.pch/$dead.pch" && : >"$T/mine/.compilers/$dead$dead"
find "$T/mine" | sort >"$T/before"
prebuild clean --all --cache-dir "$T/mine" >"$T/out" || fail "$(cat "$T/out")"
find "$T/mine" | sort | cmp -s - "$T/before" || fail "no cache: $(find "$T/mine" | sort | diff "$T/before" -)"
mkdir -m 700 "$T/mine/.locks"
prebuild clean --all --cache-dir "$T/mine" >"$T/out" || fail "$(cat "$T/out")"
[ "$(ls -A "$T/mine")" = "$(printf '%s\n' .compilers .locks .pch .times.tmp.bak)" ] || fail "a cache: $(ls -A "$T/mine")"
