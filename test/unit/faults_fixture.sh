# faults_fixture.sh - sourced after common.sh: a library for test/faults/inject.py, and a compiler that takes milliseconds.
# shellcheck shell=sh disable=SC1091,SC2154
. "$(dirname "$0")/unit/runtime_fixture.sh"
need strace python3 pgrep ld
library lib
# What the real shim makes of each source is made once; after that a compile is a link of it.
mkdir "$T/made"
for i in 0 1 2; do
  g++ -I"$unit" -O1 -DVERSION=1 -fPIC -x c++ -c "$T/lib/ck_jit/src/value$i.cu" -o "$T/made/value$i.o"
done
cat >"$T/shim" <<'SHIM'
#!/bin/sh
echo "$*" >>"${0%/*}/calls"
for word; do
  case $word in
  -Wl,--build-id=*) id=${word#-Wl,} ;;
  *.cu) source=${word##*/} ;;
  -o) ;;
  *) [ "$last" = -o ] && out=$word ;;
  esac
  last=$word
done
exec ld -shared -Bsymbolic "$id" -o "$out" "${0%/*}/made/${source%.cu}.o"
SHIM
is "value" 1005 "$("$T/lib/driver" value 0 5)"
FLAGS="-I$unit -O1 -DVERSION=1"
BUILD_ID=$(readelf -n "$T/cache/value0.so" | sed -n 's/.*Build ID: \(.*\)01000000$/\1/p')
export FLAGS BUILD_ID
key=$(echo "$BUILD_ID" | cut -c1-32)
cat >"$T/manifest.json" <<JSON
{"ckjit": 1, "libraries": ["libkernels.so"], "root": "", "compiler": "/nonexistent/hipcc",
 "groups": [{"flags": ["-I$unit", "-O1", "-DVERSION=1"], "link": [], "archs": ["gfx942", "gfx950"]}],
 "blobs": {"value0": {"source": "{root}/src/value0.cu", "group": 0, "key": "$key", "functions": ["value_"]},
           "value1": {"source": "{root}/src/value1.cu", "group": 0,
                      "key": "$("$T/lib/driver" value 1 5 >/dev/null; readelf -n "$T/cache/value1.so" | sed -n 's/.*Build ID: //p' | cut -c1-32)",
                      "functions": ["value_"]}}}
JSON
# ckjit-prebuild makes what this machine looks up: it has both GPUs.
mkdir -p "$T/kfd/0" "$T/kfd/1"
echo 'gfx_target_version 90402' >"$T/kfd/0/properties"
echo 'gfx_target_version 90500' >"$T/kfd/1/properties"
rm -r "$T/cache"
