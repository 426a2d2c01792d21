#!/bin/sh
# --gpu-archs takes a list as CK_JIT_ARCH does, with ';' or ',', each architecture once; the build gets it with ';', as aiter needs it.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
installation
rocm "$T/rocm"
aiter "$T/aiter"
cd "$T"
for list in 'gfx942;gfx950' gfx942,gfx950 'gfx942, gfx950,gfx942;'; do
  ckjit-build full --aiter-dir aiter --gpu-archs "$list" --api fwd --tmp-dir w >out 2>&1 || fail "'$list': $(cat out)"
  grep -q '^archs gfx942;gfx950 gfx942;gfx950 ' w/log_fwd.txt || fail "'$list': $(cat w/log_fwd.txt)"
  lacks "'$list' is another list" '^rebuild  libmha' out
done
refused 1 "unknown architecture 'sm_90'; .* separated by ';' or ','" ckjit-build full --aiter-dir aiter --gpu-archs gfx942,sm_90
refused 1 "does not compile for 'gfx9999'" ckjit-build full --aiter-dir aiter --gpu-archs gfx942,gfx9999
