#!/bin/sh
# build on a machine without a GPU makes an entry for each kind of GPU that the library is for, each what a machine with that GPU looks
# up; --arch, CK_JIT_ARCH and the GPUs that are there say something else.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
. "$here/unit/prebuild_fixture.sh"
install_tree
export CK_JIT_CACHE_DIR="$T/cache"
# state STEM: what list says of it on this machine
state() {
  prebuild list "$1" | cut -f 3
}

gpus
prebuild build blob_1 >"$T/out" 2>"$T/err" || fail "$(cat "$T/out" "$T/err")"
grep -q '^2 compiled, 0 in the cache already, 0 failed' "$T/out" || fail "$(cat "$T/out")"
grep -q '\] blob_1 for gfx942 compiled in' "$T/out" && grep -q '\] blob_1 for gfx950 compiled in' "$T/out" || fail "names: $(cat "$T/out")"
grep -q 'note: build: this machine has no GPU that the library was built for; each blob is compiled for each of gfx942 and gfx950.' "$T/err" ||
  fail "nothing was said: $(cat "$T/err")"
is 'here' cached "$(state blob_1)"
prebuild list --json blob_1 | grep -q '"state":"cached"' || fail "$(prebuild list --json blob_1)"
for gpu in 90402 90500 "0 90402 90402"; do
  # shellcheck disable=SC2086 # words
  gpus $gpu
  is "a machine with $gpu" cached "$(state blob_1)"
  CK_JIT_HIPCC=/nonexistent prebuild build blob_1 >"$T/out" || fail "$gpu: $(cat "$T/out")"
  grep -q '^0 compiled, 1 in the cache already' "$T/out" || fail "$gpu: $(cat "$T/out")"
done
gpus 90402 90500
is 'one with both' absent "$(state blob_1)"
prebuild build blob_1 >"$T/out" 2>"$T/err" || fail "$(cat "$T/out")"
grep -q '^1 compiled' "$T/out" && [ ! -s "$T/err" ] || fail "both: $(cat "$T/out" "$T/err")"

# One of the two is there: only that is compiled, in the next cache as well.
gpus 90500
rm -r "$T/cache"
prebuild build blob_1 >"$T/out" 2>"$T/err" || fail "$(cat "$T/out")"
grep -q '^1 compiled' "$T/out" && [ ! -s "$T/err" ] || fail "one GPU: $(cat "$T/out" "$T/err")"
gpus
is 'one of two' absent "$(state blob_1)"
prebuild list --json blob_1 | grep -q '"state":"absent","size":null' || fail "$(prebuild list --json blob_1)"
prebuild build blob_1 >"$T/out" 2>&1 || fail "$(cat "$T/out")"
grep -q '^1 compiled, 1 in the cache already' "$T/out" || fail "the other one: $(cat "$T/out")"

# What the user says goes first. A list is one machine's.
prebuild build --arch gfx90a blob_1 >"$T/out" 2>"$T/err" || fail "$(cat "$T/out")"
grep -q '^1 compiled' "$T/out" && [ ! -s "$T/err" ] || fail "--arch: $(cat "$T/out" "$T/err")"
CK_JIT_ARCH=gfx90a prebuild build blob_2 >"$T/out" 2>"$T/err" || fail "$(cat "$T/out")"
grep -q '^1 compiled' "$T/out" && [ ! -s "$T/err" ] || fail "CK_JIT_ARCH: $(cat "$T/out" "$T/err")"
prebuild build --arch 'gfx942;gfx950' blob_1 >"$T/out" 2>"$T/err" || fail "$(cat "$T/out")"
grep -q "note: build: --arch 'gfx942;gfx950' is for machines that have all of these GPUs" "$T/err" || fail "$(cat "$T/err")"
refused 2 "--arch '': expected architectures" prebuild build --arch '' blob_1
refused 2 "--arch 'GPU!': expected an architecture such as" prebuild list --arch 'GPU!' blob_1

# Features of one GPU stay together; a generic target is for machines with a GPU of its family that no other word names.
# amdgcnspirv stands for any other GPU, which gets code of its own.
archs() {
  sed -i "s/\"archs\": \[[^]]*\]/\"archs\": [$1]/" "$I/ck_jit_manifest.json"
  prebuild build --root "$T" blob_1 >"$T/out" 2>"$T/err" || :
  sed -n 's/.*each blob is compiled for each of \(.*\)\. --arch.*/\1/p' "$T/err"
}
rm -r "$T/cache"
is features 'gfx90a:xnack+;gfx90a:xnack- and gfx942' "$(archs '"gfx90a:xnack+", "gfx942", "gfx90a:xnack-"')"
is generic 'gfx942 and gfx11-generic:xnack+;gfx11-generic' "$(archs '"gfx11-generic:xnack+", "gfx942", "gfx11-generic"' | sed 's/\(gfx11.*\) and gfx942/gfx942 and \1/')"
is 'with SPIR-V' 'gfx942 and gfx90a' "$(archs '"amdgcnspirv", "gfx942", "gfx90a"')"
is CUDA 'sm_80, sm_90a and compute_90' "$(PATH=/usr/bin:/bin archs '"sm_80", "sm_90a", "compute_90"')"

# What the user calls gfx90a is what the library calls so: a machine with that GPU looks it up.
archs '"gfx90a:xnack-", "gfx942"' >"$T/out"
for how in '--arch gfx90a' 'CK_JIT_ARCH=gfx90a'; do
  rm -r "$T/cache"
  case $how in
  --arch*) prebuild build --arch gfx90a blob_1 ;;
  *) CK_JIT_ARCH=gfx90a prebuild build blob_1 ;;
  esac >"$T/out" 2>"$T/err" || fail "$how: $(cat "$T/out" "$T/err")"
  gpus 90010
  is "$how: a machine with it" cached "$(state blob_1)"
  gpus
  is "$how: list --arch" cached "$(prebuild list --arch gfx90a blob_1 | cut -f 3)"
done

# looked BUILT GPU… [-- OPTION…]: for what blob_1 of a library for BUILT is wanted on a machine with these GPUs
looked() {
  sed -i "s/\"archs\": \[[^]]*\]/\"archs\": [$1]/" "$I/ck_jit_manifest.json"
  shift
  all=
  while [ $# -gt 0 ] && [ "$1" != -- ]; do all="$all $1" && shift; done
  [ $# = 0 ] || shift
  # shellcheck disable=SC2086 # words
  gpus $all
  rm -rf "$T/cache"
  : >"$T/words"
  prebuild build "$@" blob_1 >"$T/out" 2>"$T/err" || fail "$(cat "$T/out" "$T/err")"
  sed -n 's/^--offload-arch=//p' "$T/words" | sort -u | tr '\n' ' '
}
sed -i -e "2aopen('$T/words', 'a').writelines(w + chr(10) for w in sys.argv)" \
  -e 's/("gfx90a", /("gfx9-4-generic", "gfx1100", "gfx1201", &/; s/, ("gfx90a"/, "gfx90a"/' "$T/rocm/bin/hipcc"
both='"gfx90a", "gfx9-4-generic:xnack-", "gfx9-4-generic"'
is 'a generic target' 'gfx9-4-generic gfx9-4-generic:xnack- ' "$(looked "$both" 90402)"
is 'two GPUs' 'gfx9-4-generic gfx9-4-generic:xnack- gfx90a ' "$(looked "$both" 90402 90010)"
is '--arch' 'gfx9-4-generic gfx9-4-generic:xnack- ' "$(looked "$both" -- --arch gfx942)"
is 'with features' 'gfx9-4-generic gfx9-4-generic:xnack- ' "$(looked "$both" -- --arch gfx942:xnack-)"
is 'with other features' 'gfx9-4-generic ' "$(looked "$both" -- --arch gfx942:xnack+)"
is 'CK_JIT_ARCH' 'gfx9-4-generic gfx9-4-generic:xnack- ' "$(CK_JIT_ARCH=gfx950 looked "$both")"
is 'SPIR-V' 'gfx1201 ' "$(looked '"gfx90a", "amdgcnspirv"' 120001)"
looked "$both" -- --arch gfx942 >"$T/archs"
prebuild pack --all --arch gfx950 --output "$T/p" >"$T/out" 2>&1 || fail "$(cat "$T/out")"
prebuild unpack --arch gfx942 "$T/p" >"$T/out" 2>&1 || fail "$(cat "$T/out")"
refused 1 'expected --arch gfx90a' prebuild unpack --arch gfx90a "$T/p"
gpus
for open in native amdgcnspirv; do
  sed -i "s/\"archs\": \[[^]]*\]/\"archs\": [\"$open\"]/" "$I/ck_jit_manifest.json"
  refused 1 "the library was built for '$open', which names no architecture" env PATH=/usr/bin:/bin "$I/ckjit-prebuild" build blob_1
done
