#!/bin/sh
# list: stems alone, one a line; with blobs or --all, known and cached. The cache directory's and manifest's defaults.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
. "$here/unit/prebuild_fixture.sh"
install_tree
[ "$(prebuild list | tr '\n' ' ')" = 'blob_1 blob_2 blob_3 blob_4 blob_5 blob_FAIL_HERE ' ] || fail "$(prebuild list)"
export HOME="$T/home"
unset XDG_CACHE_HOME
prebuild build blob_2 >"$T/out" || fail "$(cat "$T/out")"
[ -e "$T/home/.cache/ck_jit/blob_2.so" ] || fail "not in HOME/.cache: $(cat "$T/out")"
XDG_CACHE_HOME=$T/xdg CK_JIT_NAME=name prebuild build blob_3 >"$T/out" || fail "$(cat "$T/out")"
[ -e "$T/xdg/name/blob_3.so" ] || fail "not in XDG_CACHE_HOME: $(cat "$T/out")"
[ "$(prebuild list blob_3 blob_2.cu)" = "$(printf 'blob_3\tknown\tabsent\nblob_2\tknown\tcached')" ] ||
  fail "$(prebuild list blob_3 blob_2)"
[ "$(CK_JIT_ARCH=gfx90a prebuild list blob_2)" = "$(printf 'blob_2\tknown\tabsent')" ] || fail 'the entry is for another GPU'
[ "$(prebuild list --all | grep -c known)" = 6 ] || fail "$(prebuild list --all)"
cp "$I/ck_jit_manifest.json" "$T/m.json"
CK_JIT_MANIFEST=$T/m.json "$B/bin/ckjit-prebuild" list | grep -qx blob_5 || fail 'CK_JIT_MANIFEST is not read'
# --root, for a manifest that lies apart from the sources.
CK_JIT_CACHE_DIR=$T/c2 "$B/bin/ckjit-prebuild" build --manifest "$T/m.json" --root "$I" blob_5 >"$T/out" || fail "$(cat "$T/out")"
prebuild list >/dev/full 2>"$T/err" && fail 'a list that a full disk has cut: success'
has 'a full disk' 'standard output cannot be written: No space left' "$T/err"
