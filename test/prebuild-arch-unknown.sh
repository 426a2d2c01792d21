#!/bin/sh
# build asks the compiler before it compiles whether it knows the architectures: one that it does not know is one error, not one a blob.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
. "$here/unit/prebuild_fixture.sh"
install_tree
export CK_JIT_CACHE_DIR="$T/cache"
cat >"$T/hipcc" <<END
#!/bin/sh
[ "\$1" != --target=amdgcn-amd-amdhsa ] || { printf 'Available CPUs for this target:\n\n\tgfx90a\n\tgfx942\n\tgfx950\n'; exit; }
[ "\$*" != --version ] || { echo "AMD clang version 17.0.0 (of ROCm)"; exit; }
case " \$* " in *"-### "*) ;; *" -c "* | *" -shared "*) echo "\$*" >>'$T/compiles' ;; esac
exec '$T/rocm/bin/hipcc' "\$@"
END
chmod +x "$T/hipcc"
export CK_JIT_HIPCC="$T/hipcc"
# at_once WORDS…: the build failed with one error, which has the words; nothing was compiled
at_once() {
  for words; do
    grep -qF -e "$words" "$T/refused.err" || fail "no '$words': $(cat "$T/refused.err")"
  done
  [ "$(grep -c '^ckjit-[a-z]*: error: ' "$T/refused.err")" = 1 ] || fail "not once: $(cat "$T/refused.err")"
  [ ! -e "$T/compiles" ] || fail "it was compiled: $(cat "$T/compiles")"
  [ -z "$(ls "$T/cache")" ] || fail "left in the cache: $(ls -A "$T/cache")"
}
refused 1 'cannot compile for architecture' prebuild build --all --arch gfx9442
at_once "the compiler $T/hipcc cannot compile for architecture gfx9442: it is clang 17.0.0, which knows gfx942, gfx90a, gfx950, but not gfx9442; if the name is right, set CK_JIT_HIPCC to a newer compiler" \
  "error: invalid target ID 'gfx9442'" 'note: build: nothing was compiled'
CK_JIT_ARCH=gfx942\;gfx777 refused 1 'cannot compile for architecture' prebuild build --all
at_once "$T/hipcc cannot compile for architecture gfx777"
# What is in the cache needs no compiler.
CK_JIT_HIPCC=$T/rocm/bin/hipcc prebuild build blob_1 --arch gfx942 >"$T/out" 2>&1 || fail "$(cat "$T/out")"
CK_JIT_HIPCC=/nonexistent prebuild build blob_1 --arch gfx942 >"$T/out" 2>&1 || fail "$(cat "$T/out")"
# A compiler that refuses something else is asked for each blob.
printf '#!/bin/sh\n[ "$1" = "-###" ] && { echo "error: no licence"; exit 1; }\nexec "%s" "$@"\n' "$T/rocm/bin/hipcc" >"$T/other" && chmod +x "$T/other"
CK_JIT_HIPCC=$T/other prebuild build blob_2 --arch gfx942 >"$T/out" 2>&1 || fail "$(cat "$T/out")"
grep -q '^1 compiled' "$T/out" || fail "$(cat "$T/out")"
