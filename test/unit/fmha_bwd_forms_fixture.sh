# fmha_bwd_forms_fixture.sh - the three forms of examples/fmha-bwd's workspace, in captures: source it after
# common.sh. The test defines bwd and stored, which run the programs of these names, and sets modes, the kinds of captures,
# and forms.
#
#   forms_agree WORD…       each form in every kind of capture, from an empty cache and then in a process that
#                           may not compile: three launches of each graph are right, and all print the same digest
#   stored_launches         a stored address is called first in a capture, and in a callback of its graph
#   stored_failure VARIABLE=VALUE
#                           this makes the compiler fail: the call in the capture reports it, and what was captured
#                           before is launched
#   launcher_failure VARIABLE=VALUE
#                           the same for the whole program, which then uses the stream
# shellcheck shell=sh disable=SC2154

# The workspace of three sequences, after the graph ran: docs/workspace.md explains these bytes.
cat >"$T/head" <<'END_'
05 00 00 00 01 00 00 00 01 00 00 00 00 00 00 00
00 00 00 00 00 00 00 00 00 32 00 00 00 00 00 00
c0 33 00 00 00 00 00 00 00 3c 00 00 00 00 00 00
ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff
END_

bwd() { fail 'the test defines no bwd'; }
stored() { fail 'the test defines no stored'; }

forms_agree() {
  : >"$T/digests"
  for form_ in $forms; do
    for mode_ in $modes; do
      rm -rf "$CK_JIT_CACHE_DIR"
      for on_miss_ in compile error; do
        CK_JIT_ON_MISS=$on_miss_ bwd "-workspace=$form_" "-capture=$mode_" -replay=3 "$@" >"$T/out" 2>"$T/err" ||
          fail "$form_, $mode_, $on_miss_: $(cat "$T/out" "$T/err")"
        grep -qx right "$T/out" || fail "$form_, $mode_, $on_miss_: $(cat "$T/out" "$T/err")"
        grep '^digest' "$T/out" >>"$T/digests"
      done
    done
  done
  [ "$(sort -u "$T/digests" | wc -l)" = 1 ] || fail "the forms differ: $(sort "$T/digests" | uniq -c)"
}

stored_launches() {
  for mode_ in ${modes#none }; do
    for how_ in '' callback; do
      { echo "nodes ${how_:+3}"; cat "$T/head" "$T/head" "$T/head"; } | sed 's/nodes $/nodes 2/' >"$T/want"
      rm -rf "$CK_JIT_CACHE_DIR"
      for on_miss_ in compile error; do
        # shellcheck disable=SC2086 # none or a word
        CK_JIT_ON_MISS=$on_miss_ stored "$mode_" $how_ >"$T/out" 2>"$T/err" ||
          fail "stored, $mode_ $how_, $on_miss_: $(cat "$T/out" "$T/err")"
        cmp -s "$T/want" "$T/out" || fail "stored, $mode_ $how_, $on_miss_: $(diff "$T/want" "$T/out") $(cat "$T/err")"
      done
    done
  done
}

stored_failure() {
  sed -n '4p;4p;4p;4p' "$T/head" >"$T/nothing"
  { echo 'nodes 1'; cat "$T/nothing" "$T/nothing" "$T/nothing"; } >"$T/want"
  for mode_ in ${modes#none }; do
    rm -rf "$CK_JIT_CACHE_DIR"
    (export "${1?}" && stored "$mode_") >"$T/out" 2>"$T/err" || fail "$1, $mode_: $(cat "$T/out" "$T/err")"
    grep -q '^thrown: ckjit: fmha_bwd_d32_fp32_group_.*the compiler failed' "$T/out" || fail "$1, $mode_: $(cat "$T/out" "$T/err")"
    grep -v '^thrown' "$T/out" | cmp -s - "$T/want" || fail "$1, $mode_: $(cat "$T/out" "$T/err")"
  done
}

launcher_failure() {
  for mode_ in ${modes#none }; do
    rm -rf "$CK_JIT_CACHE_DIR"
    status_=0
    (export "${1?}" && bwd -workspace=device "-capture=$mode_") >"$T/out" 2>"$T/err" || status_=$?
    [ "$status_" = 1 ] || fail "$1, $mode_: status $status_: $(cat "$T/out" "$T/err")"
    grep -q '^the capture ended with [0-9]* nodes, the stream is usable$' "$T/out" || fail "$1, $mode_: $(cat "$T/out" "$T/err")"
    grep -q 'the compiler failed' "$T/err" || fail "$1, $mode_: $(cat "$T/out" "$T/err")"
  done
}
