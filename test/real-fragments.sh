#!/bin/sh
# examples/fragments with HIP 7.2.4 for gfx942: seven objects for twelve kernels, one object and six links after an edit, and
# code objects that have the kernel, its descriptor, a mark of each of their three parts, and nothing undefined.
# tier: all
# seconds: 29
. "${0%/*}/common.sh"
[ "$(id -u)" = 0 ] || skip "the HIP 7.2.4 root needs root"
need debootstrap unshare python3
tools=$B/toolchain
"$here/toolchain/hip7-root" "$tools/hip7" || skip "no HIP 7.2.4 root can be made here, see $tools/hip7.log"
top=$(cd "$here/.." && pwd)
# the toolchain may be a link to one elsewhere
root=$(realpath "$tools/hip7")
export CKJIT_BIND="$top $T $B"
in_root() { "$here/toolchain/hip7-root" --run "$root" "$@"; }
in_root env ARCH=gfx942 CKJIT="$B/bin" "$top/examples/fragments/run" "$T/w" >"$T/out" 2>&1 || {
  cat "$T/out"
  fail 'the example fails'
}
cat "$T/out"
expect() { grep -qF -e "$1" "$T/out" || fail "no '$1'"; }
expect '4 fragments, 3 blobs that may need them, 12 combinations'
expect 'first calls of 12 combinations: 7 objects compiled, 12 kernels linked'
expect 'the same in another process: 0 objects compiled, 0 kernels linked'
expect 'after an edit of bitset_filter.cu: 1 object compiled, 6 kernels linked'
[ "$(grep -c 'every result is right' "$T/out")" = 3 ] || fail 'a result is not right'

# what docs/fragments.md shows of a linked kernel
in_root env PATH="/usr/lib/llvm-22/bin:/usr/bin:/bin" "$here/sessions/replay.py" "$top/docs/fragments.md" --from '^The content of a linked kernel' \
  --to '^There is one kernel' --map "/tmp/fragments=$T/w" >"$T/replayed" 2>&1 || fail "$(cat "$T/replayed")"

cat >"$T/look" <<'SH'
#!/bin/sh
# look FILE: symbols of the code object in it
set -eu
llvm-objcopy-22 --dump-section ".hip_fatbin=$2/fatbin" "$1" /dev/null
clang-offload-bundler-22 -unbundle -type=o -targets=hipv4-amdgcn-amd-amdhsa--gfx942 "-input=$2/fatbin" "-output=$2/code"
llvm-readelf-22 -hsW "$2/code"
llvm-objdump-22 -d --no-show-raw-insn --no-leading-addr "$2/code" | sed -n '/<_ZN6search13search_kernel/,/s_endpgm/p' >"$2/asm"
SH
chmod +x "$T/look"
for type in f32:f f64:d i8:a; do
  for distance in euclidean inner_product; do
    for filter in no_filter bitset_filter; do
      # the tags are in the order of the link, which is that of the objects' names
      case $filter in bitset_filter) name=search_${type%:*}+$filter+$distance ;; *) name=search_${type%:*}+$distance+$filter ;; esac
      in_root "$T/look" "$T/w/cache/$name.so" "$T" >"$T/symbols" || fail "$name: no code object"
      grep -q 'Flags:.*gfx942' "$T/symbols" || fail "$name: not for gfx942: $(cat "$T/symbols")"
      grep -q "OBJECT .* _ZN6search13search_kernelI${type#*:}EEvPKT_.*\.kd$" "$T/symbols" || fail "$name: no kernel descriptor"
      [ "$(awk '$NF ~ /^__hip_cuid_/ { print $NF }' "$T/symbols" | sort -u | wc -l)" = 3 ] || fail "$name: not of three parts"
      [ -z "$(awk '$7 == "UND" && $8' "$T/symbols")" ] || fail "$name: undefined symbols: $(cat "$T/symbols")"
      [ -s "$T/asm" ] || fail "$name: no code"
      sort "$T/asm" | sha256sum >>"$T/codes"
    done
  done
done
[ "$(sort -u "$T/codes" | wc -l)" = 12 ] || fail "two of twelve kernels are the same code: $(cat "$T/codes")"
