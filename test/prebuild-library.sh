#!/bin/sh
# Commands find their library without --manifest: by its file, CK_JIT_MANIFEST, --root and CK_JIT_ROOT, the place of the program, the cache
# and the last build, in this order. Where none is known, or more than one, the message lists what was looked at and has the command
# to type. pack --all needs no manifest.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
. "${0%/*}/unit/pack_fixture.sh"
unset CK_JIT_WARM ROCM_PATH ROCM_HOME HIP_PATH CUDA_HOME CUDA_PATH
export CK_JIT_ARCH=gfx942 CK_JIT_JOB_MEMORY=0 XDG_DATA_HOME="$T/data"
for n in one two; do
  many $n 2
  install $n
done
many three 3 2
install three
# ckjit in another place than a library's install, as in /usr/bin
mkdir "$T/bin"
cp "$B/bin/ckjit" "$B/bin/ckjit-prebuild" "$B/bin/ckjit-compile" "$T/bin"
PATH=$T/bin:$PATH
one=$T/one/libkernels.so
stems() {
  "$@" >"$T/out" 2>"$T/err" || fail "$*: $(cat "$T/err")"
  tr '\n' ' ' <"$T/out"
}
# refused TEXT COMMAND...
refused() {
  want_=$1
  shift
  "$@" >"$T/out" 2>"$T/err" && fail "$*: it went well: $(cat "$T/out")"
  grep -q -F -e "$want_" "$T/err" || fail "$*: no '$want_' but: $(cat "$T/err")"
}

# nothing is known
refused "ckjit: error: list: the library is not known [ckjit help no-library]" ckjit list
for text in "CK_JIT_MANIFEST: not set" "CK_JIT_ROOT: not set" "beside this program: neither $T/bin nor $T has one" "the cache $T/cache: no record of a library that is still there" \
  "builds of ckjit home and ckjit run: none in $T/data/ckjit/homes" "  ckjit list /path/to/libNAME.so"; do
  has "looked at" "$text" "$T/err"
done
refused "  ckjit build /path/to/libNAME.so -j 2 'a b'" ckjit build -j 2 'a b'
refused "  $T/bin/ckjit-prebuild warm /path/to/libNAME.so --wait" "$T/bin/ckjit-prebuild" warm --wait
refused "  $T/bin/ckjit export /path/to/libNAME.so --format so -o x k0" "$T/bin/ckjit" export --format so -o x k0

# a library that is named: all commands with blobs
is "list" "k0 k1 " "$(stems ckjit list "$one")"
is "list, another" "k0 k1 k2 " "$(stems ckjit list "$T/three/libkernels.so")"
ln -s one/libkernels.so "$T/link.so"
is "by a link" "k0 k1 " "$(stems ckjit list "$T/link.so")"
cp "$one" "$T/away.so"
refused "$T/away.so: no ck_jit/ck_jit_manifest.json beside it, no directory of its build, no bundle, and no record in the cache" ckjit list "$T/away.so"
refused "has no kernel of $T/away.so" env CK_JIT_MANIFEST="$T/one/ck_jit/ck_jit_manifest.json" ckjit list "$T/away.so"
refused "build: expected blobs, --blob-list FILE or --all, or --matrix FILE; see ckjit build --help" ckjit build "$one"
ckjit build "$one" k1 >"$T/out" 2>&1 || fail "build: $(cat "$T/out")"
has "build" "1 compiled" "$T/out"
ckjit build --all "$one" >"$T/out" 2>&1 || fail "build --all: $(cat "$T/out")"
has "build --all" "1 compiled, 1 in the cache already" "$T/out"
stems ckjit times "$one" k0 k1 >/dev/null
is "times" "k0 k1 " "$(cut -f 1 "$T/out" | tr "\n" " ")"
ckjit pack "$one" k0 -o "$T/k0" >"$T/out" || fail "pack"
grep -q "1 entry of 1 blob, [0-9.]* kB, in $T/k0" "$T/out" || fail "pack: $(cat "$T/out")"
ckjit clean "$one" k0 >"$T/out" || fail "clean"
has "clean" "1 removed" "$T/out"
touch "$T/cache/other.so"
ckjit clean "$one" --all >"$T/out" || fail "clean --all"
[ -e "$T/cache/other.so" ] || fail "clean --all of a library has removed another's"
[ ! -e "$T/cache/k1.so" ] || fail "clean --all of a library has left one"
rm "$T/cache/other.so"

# the cache knows the library that was built into it
is "of the cache, after build" "k0 k1 " "$(stems ckjit list)"
rm -r "$T/cache"
"$T/api" "open:$T/three/libkernels.so" stub:_Z6value_ILi2EEii:1 >/dev/null 2>&1
is "of the cache, after a call" "k0 k1 k2 " "$(stems ckjit list)"
grep -q "^2	$T/three/ck_jit/ck_jit_manifest.json$" "$T/cache/.used/libkernels.so" || fail "the record: $(cat "$T/cache/.used/libkernels.so")"
cp "$T/cache/.used/libkernels.so" "$T/record"
is "of a library by its name" "k2	known	cached " "$(stems ckjit list k2)"
ckjit warm --wait libkernels.so >"$T/out" 2>&1 || fail "warm: $(cat "$T/out")"
has "warm" "1 in the cache already" "$T/out"
ckjit build k0 >"$T/out" 2>&1 || fail "build, of the cache: $(cat "$T/out")"
is "said once" 1 "$(grep -c '^2	' "$T/cache/.used/libkernels.so")"
# the record stays when it is shortened, and goes by what was used last
i=0
while [ $i -lt 3000 ]; do
  printf '1\t%s\t-\tgone_%0400d\t\n' $i $((i % 5))
  i=$((i + 1))
done >>"$T/cache/.used/libkernels.so"
rm "$T/cache/k2.so"
"$T/api" "open:$T/three/libkernels.so" stub:_Z6value_ILi2EEii:1 >/dev/null 2>&1
is "shortened, known" "k0 k1 k2 " "$(stems ckjit list)"
[ "$(wc -c <"$T/cache/.used/libkernels.so")" -lt 100000 ] || fail "not shortened"
printf '2\t%s/one/ck_jit/ck_jit_manifest.json' "$T" >>"$T/cache/.used/libkernels.so"
is "a torn line" "k0 k1 k2 " "$(stems ckjit list)"
echo >>"$T/cache/.used/libkernels.so"
is "the newest" "k0 k1 " "$(stems ckjit list)"

# two libraries in one cache: the user has to say which
printf '2\t%s/three/ck_jit/ck_jit_manifest.json\n' "$T" >"$T/cache/.used/libother.so"
refused "ckjit: error: build: 2 libraries are known; choose one [ckjit help no-library]" ckjit build --all
grep -q "^  ckjit build --manifest $T/one/ck_jit/ck_jit_manifest.json --all$" "$T/err" || fail "its command: $(cat "$T/err")"
grep -q "^  ckjit build --manifest $T/three/ck_jit/ck_jit_manifest.json --all$" "$T/err" || fail "its command: $(cat "$T/err")"
ckjit build --manifest "$T/one/ck_jit/ck_jit_manifest.json" --all >"$T/out" 2>&1 || fail "as it says: $(cat "$T/out")"
ckjit cache >"$T/out" || fail "cache with two libraries"
ckjit warm --wait libother.so >"$T/out" 2>&1 || fail "warm, of one of two: $(cat "$T/out")"
rm "$T/cache/.used/libother.so"

# one that another user could have put there is none
mkdir -m 777 "$T/open" && chmod 777 "$T/open"
cp "$T/one/ck_jit/ck_jit_manifest.json" "$T/open"
printf '2\t%s/open/ck_jit_manifest.json\n' "$T" >"$T/cache/.used/libkernels.so"
refused "$T/open/ck_jit_manifest.json is not used: another user could have put it there" ckjit list
rm -r "$T/cache/.used"

# the last build: the newest of the homes, or of the one in this shell
mkdir -p "$T/data/ckjit/homes/hip-1/wdir/libold" "$T/data/ckjit/homes/hip-2/wdir/libnew" "$T/data/ckjit/homes/none" "$T/shell/wdir/libshell"
for home in "$T/data/ckjit/homes/hip-1" "$T/data/ckjit/homes/hip-2" "$T/shell"; do
  fake_home "$home" >/dev/null
done
cp "$T/one/ck_jit/ck_jit_manifest.json" "$T/data/ckjit/homes/hip-2/wdir/libnew"
cp "$T/three/ck_jit/ck_jit_manifest.json" "$T/data/ckjit/homes/hip-1/wdir/libold"
touch -d yesterday "$T/data/ckjit/homes/hip-1/wdir/libold/ck_jit_manifest.json"
is "the last build" "k0 k1 " "$(stems ckjit list)"
has "it is said" "note: $T/data/ckjit/homes/hip-2/wdir/libnew/ck_jit_manifest.json is used: it was built last" "$T/err"
cp "$T/three/ck_jit/ck_jit_manifest.json" "$T/shell/wdir/libshell"
is "the home of this shell" "k0 k1 k2 " "$(ROCM_PATH=$T/shell stems ckjit list)"

# variables, and what goes first
three=$T/three/ck_jit
is "CK_JIT_ROOT" "k0 k1 k2 " "$(CK_JIT_ROOT=$three stems ckjit list)"
is "--root" "k0 k1 k2 " "$(CK_JIT_ROOT=$T/one/ck_jit stems ckjit list --root "$three")"
is "CK_JIT_MANIFEST first" "k0 k1 k2 " "$(CK_JIT_ROOT=$T/one/ck_jit CK_JIT_MANIFEST=$three/ck_jit_manifest.json stems ckjit list)"
is "a library first" "k0 k1 " "$(CK_JIT_MANIFEST=$three/ck_jit_manifest.json stems ckjit list "$one")"
is "--manifest first" "k0 k1 k2 " "$(CK_JIT_MANIFEST=$T/none stems ckjit list --manifest "$three/ck_jit_manifest.json")"
is "beside the program" "k0 k1 k2 " "$(stems "$three/ckjit-prebuild" list)"
refused "$T/none: cannot read the manifest" env CK_JIT_MANIFEST="$T/none" ckjit list

# pack --all packs what the cache has, with no manifest at all
rm -r "$T/cache" "$T/data"
for lib in one three; do
  ckjit build --all "$T/$lib/libkernels.so" >/dev/null 2>&1
done
rm -r "$T/cache/.used"
rm -r "$T/one/ck_jit" "$T/three/ck_jit" "$T/two/ck_jit"
ckjit pack --cache-dir "$T/cache" --all -o "$T/all" >"$T/out" 2>"$T/err" || fail "pack --all: $(cat "$T/err")"
grep -q "^5 entries of 3 blobs, [0-9.]* kB, in $T/all$" "$T/out" || fail "all of the cache: $(cat "$T/out")"
is "nothing is left out" "" "$(cat "$T/err")"
ckjit unpack --cache-dir "$T/new" "$T/all" >"$T/out" || fail "unpack"
has "unpacked" "5 added" "$T/out"
CK_JIT_ARCH='' ckjit pack --cache-dir "$T/cache" --all --arch gfx942 -o "$T/all2" >"$T/out" 2>"$T/err" || fail "pack --arch: $(cat "$T/err")"
cmp "$T/all" "$T/all2" || fail "--arch gives another pack"
refused "pack: the cache $T/cache has no entry for gfx950; compile kernels with \`ckjit build\`. Nothing was written" ckjit pack --all --arch gfx950 -o "$T/none"
CK_JIT_ARCH=gfx90a refused "pack: the cache $T/cache has no entry" ckjit pack --all -o "$T/none"
refused "the library is not known" ckjit pack k0 -o "$T/none"
