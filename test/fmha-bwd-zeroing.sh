#!/bin/sh
# examples/fmha-bwd zeroes dq_acc where the document says, and only there: the workspace is full of NaN before it is prepared,
# so what is neither zeroed nor written is in the result. Where it must be zeroed, NaN in place of the zeros are noticed.
# tier: all
. "${0%/*}/common.sh"
. "$here/unit/fmha_bwd_fixture.sh"
lazy
warm
group='-mode=group -b=3 -s=40,7,33 -s_k=70,16,1 -s_qpad=45,20,33 -s_kpad=100,16,40'

# must WORDS: zeroed, and needed to be; need not WORDS: left alone, and right without
must() {
  ends 0 "$bwd" "$@"
  says 'dq_acc zeroed'
  says right
  ends 1 "$bwd" "$@" -poison=after
  grep -q '^error dq inf ' "$T/out" || fail "'$*': NaN in dq_acc were not noticed: $(cat "$T/out")"
}
need_not() {
  ends 0 "$bwd" "$@"
  says "dq_acc $untouched"
  says right
  ends 0 "$bwd" "$@" -poison=after
  says right
}
# shellcheck disable=SC2086 # words
{
  # Persistent (deterministic, batch mode), and non-deterministic: blocks add.
  must -deterministic=1 -s_k=70
  must -deterministic=1 -s_k=70 -mask=t
  must -s_k=70
  must -s_k=70 -mask=b
  must $group
  must $group -mask=t
  # Deterministic group mode without a mask: each block writes all of its share, padding too.
  untouched=untouched
  need_not $group -deterministic=1
  need_not -mode=group -deterministic=1 -b=2 -s=40,7 -s_k=70,0
  # With a mask some write nothing.
  must $group -deterministic=1 -mask=t
  must $group -deterministic=1 -mask=b
  must $group -deterministic=1 -mask=g:3,3
  # There is no dq_acc.
  untouched=none
  need_not -s=16 -s_k=70
  need_not -mode=group -b=2 -s=16,3 -s_k=70,9 -mask=b -deterministic=1
}
