#!/bin/sh
# A page, a version or a topic that a full disk has cut off is an error, as those of GNU's programs are.
# tier: check
. "${0%/*}/common.sh"
[ -w /dev/full ] || skip "no /dev/full here"
cd "$T"
# cut_off PROGRAM WORD…: prints something, and fails if it cannot
cut_off() {
  "$@" >out 2>err || fail "$*: $(cat err)"
  [ -s out ] || fail "$* prints nothing"
  status=0
  "$@" >/dev/full 2>err || status=$?
  is "$* on a full disk" 1 "$status"
  has "$* on a full disk" 'standard output cannot be written: No space left on device' err
}
for program in ckjit ckjit-build ckjit-prebuild; do
  cut_off "$B/bin/$program" --version
  cut_off "$B/bin/$program" --help
  cut_off "$B/bin/$program" help environment
  for command in $("$B/bin/$program" --help | sed -n 's/^  \([a-z][a-z-]*\)  *[^ ].*/\1/p'); do
    case $command in ckjit*) continue ;; esac
    cut_off "$B/bin/$program" "$command" --help
    cut_off "$B/bin/$program" help "$command"
  done
done
cut_off "$B/bin/ckjit" help topics
cut_off "$B/bin/ckjit" help not-compiled
for program in bin/ckjit-compile libexec/ckjit/ckjit-link libexec/ckjit/ckjit-unit; do
  cut_off "$B/$program" --version
  cut_off "$B/$program" --help
done
