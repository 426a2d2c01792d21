#!/bin/sh
# Where no kernel of examples/fmha-bwd matches, a launcher is made all the same: it has no workspace, preparing and running warn on
# standard error and return, and nothing is compiled. Where one matches there is no warning.
# tier: all
. "${0%/*}/common.sh"
. "$here/unit/fmha_bwd_fixture.sh"
lazy
for words in -prec=fp8 -prec= -d=65 -d_v=200 -bias=e -bias=a -p_drop=0.2; do
  ends 3 env CK_JIT_HIPCC=/bin/false "$bwd" $words
  says 'workspace_size 0'
  says 'run -1'
  says 'fmha_bwd_launcher: no kernel matches these traits, no workspace was prepared' "$T/err"
  says 'fmha_bwd_launcher: no kernel matches these traits, nothing was run' "$T/err"
  [ "$(wc -l <"$T/err")" = 2 ] || fail "$words: $(cat "$T/err")"
done
# gfx11 has no kernels with a mask; gfx1030 has none at all.
for words in 'gfx1100 -d=64 -mask=t' 'gfx1030 -d=64'; do
  # shellcheck disable=SC2086 # words
  FMHA_BWD_ARCH=${words%% *} CK_JIT_HIPCC=/bin/false ends 3 "$bwd" ${words#* }
  says 'run -1'
done
[ ! -e "$CK_JIT_CACHE_DIR" ] || fail 'there is a cache'
warm
ends 0 "$bwd"
[ ! -s "$T/err" ] || fail "$(cat "$T/err")"
