# object_fixture.sh - what a compiler has made, to compare two objects of one unit: source it behind common.sh.
# shellcheck shell=sh

# facts OBJECT: symbols by name, instructions with their relocations, and the sections with a digest of their bytes; without what
# ckjit adds, the fat binary, and debug information, which has the digest of a text. New compilers have the cuid in two names: as CUID
facts() {
  {
    nm "$1" | cut -c 18- | grep -v recorded_by_ckjit | sort
    objdump -dr "$1" | tail -n +4
    readelf -SW "$1" | sed -n 's/^ *\[ *[0-9]*\] \([^ ]*\) *PROGBITS.*/\1/p; s/^ *\[ *[0-9]*\] \(.init_array[^ ]*\) .*/\1/p' |
      grep -v '^\.\(text\|hip_fatbin$\|hipFat\|ckjit\|debug_\)' |
      while read -r section; do
        objcopy -O binary --only-section="$section" "$1" "$1.bytes"
        echo "$section $(sha256sum <"$1.bytes")"
      done
    rm -f "$1.bytes"
  } | sed 's/\(__hip_cuid\|__hip_gpubin_handle\)_[0-9a-f]\{1,16\}/\1_CUID/; s/\.hipFatBinSegment\|\.ckjit\.registered/WRAPPERS/'
}
