#!/bin/sh
# The workspace of examples/fmha-bwd in its three forms: computed by the launcher, by a callback on a stream, by a kernel on it.
# All give the bytes of the first, the last two behind an upper bound; launchers that are made, prepared and run in a capture
# compile there, and each launch of the graph is right. A compile that fails there leaves the capture valid.
# tier: all
# seconds: 15
. "${0%/*}/common.sh"
. "$here/unit/fmha_bwd_fixture.sh"
. "$here/unit/fmha_bwd_forms_fixture.sh"
lazy
hipcc -x hip --offload-host-only --offload-arch=gfx90a -std=c++17 -O0 -I"$example/include" -c "$here/gpu/stored.cpp" -o "$T/stored.o"
hipcc --offload-arch=gfx90a "$T/stored.o" -L"$lazy/build" -lfmha_bwd -Wl,-rpath,"$lazy/build" -o "$T/stored"
stored() { "$T/stored" "$@"; }
bwd() { "$lazy/build/fmha-bwd" "$@"; }

modes=global forms=device # on the CPU modes are alike; the other forms follow, with kernels that are there
group='-mode=group -b=3 -s=40,7,33 -s_k=70,16,1'
# shellcheck disable=SC2086 # words
{
  forms_agree $group -deterministic=1
  stored_launches
  stored_failure CK_JIT_HIPCC=/bin/false
  launcher_failure CK_JIT_HIPCC=/bin/false
  warm

  # Each kind of workspace, prepared on a stream or in a graph, to the same digests.
  bwd scenarios >"$T/exact" || fail "$(cat "$T/exact")"
  for form in callback device; do
    for mode in none thread; do
      bwd scenarios -workspace=$form -capture=$mode -replay=2 >"$T/out" || fail "$(cat "$T/out")"
      [ "$(grep -o '[0-9a-f]* right$' "$T/out")" = "$(grep -o '[0-9a-f]* right$' "$T/exact")" ] || fail "$form, $mode: $(diff "$T/exact" "$T/out")"
    done
    # The head of the workspace is the same in each form; its size is a bound: 5 splits for all rows.
    for mode in none global; do
      bwd $group -deterministic=1 -run=0 -workspace=$form -capture=$mode -dump="$T/dump" >"$T/out" || fail "$(cat "$T/out")"
      grep -qx "workspace_size $((16 + 32 + 4 * 2 * 32 * 5 * 80))" "$T/out" || fail "$form, $mode: $(cat "$T/out")"
      od -An -v -tx1 -w16 -N64 "$T/dump" | sed 's/^ //' | cmp -s - "$T/head" || fail "$form, $mode: $(od -An -v -tx1 -w16 -N64 "$T/dump")"
    done
    # NaN in dq_acc are noticed where zeros are needed.
    ! bwd -s_k=70 -workspace=$form -poison=after >"$T/out" || fail "$form: NaN in dq_acc were not noticed"
  done
}
