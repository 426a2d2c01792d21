#!/bin/sh
# POSIXLY_CORRECT, which users set for other programs, changes no command line of ckjit: options may stand behind names and commands.
# tier: check
. "${0%/*}/common.sh"
cd "$T"
mkdir cache
chmod 700 cache
# same STATUS COMMAND…: with the variable as without
same() {
  wanted=$1 status=0
  shift
  env -u POSIXLY_CORRECT "$@" >plain 2>&1 || status=$?
  is "$*: status" "$wanted" "$status"
  status=0
  POSIXLY_CORRECT=1 "$@" >out 2>&1 || status=$?
  is "$*: status with POSIXLY_CORRECT" "$wanted" "$status"
  is "$*" "$(cat plain)" "$(cat out)"
}
echo 'template <> int f<1>(int);' >a.cu
same 0 "$B/bin/ckjit-prebuild" cache --cache-dir "$T/cache"
same 0 "$B/bin/ckjit" cache --cache-dir "$T/cache"
same 0 "$B/bin/ckjit" prebuild verify --cache-dir "$T/cache" --json
same 2 "$B/bin/ckjit-prebuild" list a.cu --none
same 1 "$B/bin/ckjit-prebuild" list a.cu --manifest "$T/none.json"
same 2 "$B/bin/ckjit-build" home more --dir "$T/h"
same 2 "$B/bin/ckjit-compile" a.cu --verbose --none
same 0 "$B/bin/ckjit" help prebuild list
