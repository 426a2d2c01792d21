#!/bin/sh
# In a set-user-ID process no variable counts, and its compiler gets none of them: neither where cache, sources, compiler and manifest
# are, nor how the process fares. ckjit-compile and ckjit-prebuild do the same.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
[ "$(id -u)" = 0 ] || skip "needs root"
[ -z "${SANITIZER-}" ] || skip "without variables the sanitizers have no options"
need setpriv
umask 022
chmod 711 "$T"
LIB_COMPILER=$T/fast many lib 8
unset CK_JIT_HIPCC
chmod a+w "$T/lib/log"
spy "$T/lib/ck_jit/ckjit-compile"

# A user database of the test's own, for those are the homes where caches are looked for. nobody and root have theirs.
mkdir -m 700 "$T/home" "$T/roots"
chown 65534:65534 "$T/home"
printf '%s\n' "root:x:0:0::$T/roots:/bin/sh" "nobody:x:65534:65534::$T/home:/bin/sh" >"$T/passwd"
unshare -m true 2>/dev/null || skip "no mount namespaces here"
# with_users COMMAND…
with_users() {
  unshare -m sh -c 'mount --bind "$0" /etc/passwd && exec "$@"' "$T/passwd" "$@"
}

# as_nobody and as_root have the rights of one user, and are run by the other
as_nobody=$T/as-nobody as_root=$T/as-root
cp "$T/hostile" "$as_nobody"
cp "$T/hostile" "$as_root"
chown 65534:65534 "$as_nobody"
chmod 4755 "$as_nobody" "$as_root"
run_as_root() {
  with_users setpriv --reuid=65534 --regid=65534 --clear-groups "$as_root" "$T/lib/libkernels.so" "$@"
}
run_as_nobody() {
  with_users "$as_nobody" "$T/lib/libkernels.so" "$@"
}
[ "$(run_as_nobody secure)$(run_as_root secure)" = 11 ] || skip "no set-user-ID programs in $T"

# All that could lead astray, and would be taken: owned by either, and a record of everybody who was there.
evil=$T/evil
mkdir -p "$evil/root/src" "$evil/bin" "$evil/home" "$evil/xdg" "$evil/kfd/0"
for program in root/ckjit-compile bin/hipcc bin/g++ hipcc; do
  printf '#!/bin/sh\necho "$0 $*" >>%s/ran\n' "$evil" >"$evil/$program"
  chmod 755 "$evil/$program"
done
: >"$evil/ran"
chmod a+w "$evil/ran"
echo 666 >"$evil/root/src/k0.cu"
echo 'gfx_target_version 90402' >"$evil/kfd/0/properties"
echo '{"ckjit": 1}' >"$evil/manifest.json"
# astray COMMAND…
astray() {
  (
    export CK_JIT_CACHE_DIR="$evil/cache" CK_JIT_ROOT="$evil/root" CK_JIT_HIPCC="$evil/hipcc" CK_JIT_NAME=evil \
      CK_JIT_MANIFEST="$evil/manifest.json" CK_JIT_KFD_ROOT="$evil/kfd" CK_JIT_ARCH=gfx1 CK_JIT_VERBOSE=1 \
      CK_JIT_ON_ERROR=abort CK_JIT_COMPILER_LAUNCHER="$evil/hipcc" CK_JIT_PCH=0 CK_JIT_JOBS=nonsense CK_JIT_TRACE="$evil/trace" CK_JIT_SHARD=nonsense XDG_CACHE_HOME="$evil/xdg" HOME="$evil/home" \
      ROCM_PATH="$evil" CPATH="$evil" TMPDIR="$evil" EVIL=1
    PATH=$evil/bin:$PATH "$@"
  )
}
# not_made FILE: of the environment in it, all but what ckjit-compile makes for its compilers itself
not_made() {
  grep -q '^LANG=C.UTF-8$' "$1" || echo "no LANG, which is made for every compiler"
  grep -vxE 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin|LANG=C.UTF-8|CCC_OVERRIDE_OPTIONS=#\^-cuid=[0-9a-f]{16}|TMPDIR=.*/(home|roots)/([.]cache/ck_jit/|[.]ckjit-)[.]?tmp-[^/]*' "$1" || true
}
# harmless WHAT: nothing of that was looked at
harmless() {
  is "$1: evil programs that ran" "" "$(cat "$evil/ran")"
  is "$1: files below evil directories" 8 "$(find "$evil" -type f | wc -l)"
  is "$1: evil directories" "bin home kfd root xdg " "$(find "$evil" -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort | tr '\n' ' ')"
}
for who in nobody root; do
  : >"$T/lib/control/environment"
  : >"$T/lib/ck_jit/notes"
  chmod a+w "$T/lib/control/environment" "$T/lib/ck_jit/notes"
  home=$T/home
  [ $who = nobody ] || home=$T/roots
  # shellcheck disable=SC2086
  astray run_as_$who value 0 5 >"$T/out" 2>&1 || fail "$who: $(cat "$T/out")"
  is "$who" 5 "$(cat "$T/out")"
  [ -s "$home/.cache/ck_jit/k0.so" ] || fail "$who: the cache is elsewhere"
  is "$who: owner" $who "$(stat -c %U "$home/.cache/ck_jit/k0.so")"
  lacks "$who: the environment of ckjit-compile" ^Sig "$T/lib/ck_jit/notes" -v
  has "$who: ckjit-compile" SigBlk "$T/lib/ck_jit/notes"
  is "$who: its compiler's environment" "" "$(not_made "$T/lib/control/environment")"
  harmless $who
  touch "$T/lib/control/k1.fail"
  status=0
  astray run_as_$who value 1 5 >"$T/out" 2>&1 || status=$?
  is "$who, failing: thrown" 3 $status
  has "$who, failing" "k1: the compiler failed with status 4" "$T/out"
done
is "compiles" 4 "$(started lib)"
lacks "architectures" gfx1 "$T/home/.cache/ck_jit/.logs/k1.log"

# What may be read and started is the effective user's to say: the library's files are in a directory that its user cannot search.
chmod 700 "$T/lib/ck_jit"
as_user=$(with_users setpriv --reuid=65534 --regid=65534 --clear-groups test -r "$T/lib/ck_jit/src/k3.cu" || echo no)
is "its user may read it" no "$as_user"
run_as_root value 3 5 >"$T/out" 2>&1 || fail "rights are asked for the real user: $(cat "$T/out")"
is "a closed directory" 3005 "$(cat "$T/out")"
chmod 755 "$T/lib/ck_jit"

# Set-group-ID: the process has more privileges than its user, whose cache it would load.
cp "$T/hostile" "$T/as-group"
chgrp 0 "$T/as-group"
chmod 2755 "$T/as-group"
as_group() {
  with_users setpriv --reuid=65534 --regid=65534 --clear-groups "$T/as-group" "$T/lib/libkernels.so" "$@"
}
as_group value 0 5 >"$T/out" 2>&1 && fail "a set-group-ID program loaded what its user can write"
has "set-group-ID" "this program has more privileges than its user" "$T/out"

# by hand
for name in compile prebuild; do
  cp "$B/bin/ckjit-$name" "$T/ckjit-$name"
  chown 65534:65534 "$T/ckjit-$name"
  chmod 4755 "$T/ckjit-$name"
done
astray with_users "$T/ckjit-compile" --blob k0 --output "$T/home/k0.so" >"$T/out" 2>&1 && fail "took CK_JIT_MANIFEST"
has "ckjit-compile" "$T/ck_jit_manifest.json" "$T/out"
astray with_users "$T/ckjit-compile" --blob-source "$T/lib/ck_jit/src/k0.cu" --output "$T/home/k0.so" >"$T/out" 2>&1 && fail "compiled"
astray with_users "$T/ckjit-compile" --blob-source "$T/lib/ck_jit/src/k2.cu" --output "$T/home/k2.so" --hipcc "$T/fast" \
  --blob-flags "--log=$T/lib/log --template=$T/lib/template.so --control=$T/lib/control" >"$T/out" 2>&1 || fail "$(cat "$T/out")"
is "environment of a compiler, by hand" "" "$(not_made "$T/lib/control/environment")"
astray with_users "$T/ckjit-prebuild" list >"$T/out" 2>&1 && fail "took CK_JIT_MANIFEST"
has "ckjit-prebuild" "beside this program: neither $T nor " "$T/out"
astray with_users "$T/ckjit-prebuild" clean --all >"$T/out" 2>&1 || fail "ckjit-prebuild: $(cat "$T/out")"
has "ckjit-prebuild" " kB, from $T/home/.cache/ck_jit" "$T/out"
harmless "by hand"

# the same variables do lead astray where they may
astray env -u CK_JIT_ARCH "$T/hostile" "$T/lib/libkernels.so" value 0 5 >"$T/out" 2>&1 && fail "the variables mean nothing at all"
[ -s "$evil/ran" ] || fail "the variables mean nothing at all"
