#!/bin/sh
# Messages are coloured on a terminal as clang's are; NO_COLOR, TERM=dumb, --color and -fcolor-diagnostics are respected.
# tier: check
. "${0%/*}/common.sh"
need python3
unset NO_COLOR
export TERM=xterm
escape=$(printf '\033')
L=$B/libexec/ckjit
# on a terminal, off one
tty() {
  python3 "$here/unit/terminal.py" "$T/out" 80 "$@" || true
}
pipe() {
  "$@" >"$T/out" 2>&1 || true
}
colored() {
  grep -q "$escape\\[0;1;31merror: $escape\\[0m$escape\\[1m.*$escape\\[0m" "$T/out" || fail "$1: no colour: $(cat "$T/out")"
}
plain() {
  grep -q 'error: ' "$T/out" || fail "$1: no error: $(cat "$T/out")"
  lacks "$1: colour" "$escape" "$T/out"
}
for p in "$B/bin/ckjit-build full" "$B/bin/ckjit-build quick" "$B/bin/ckjit-build relink" "$B/bin/ckjit-build home" \
  "$B/bin/ckjit-prebuild list" "$B/bin/ckjit-prebuild build" "$B/bin/ckjit-prebuild clean" "$B/bin/ckjit-prebuild times" \
  "$B/bin/ckjit-prebuild export" "$B/bin/ckjit-prebuild matrix" "$B/bin/ckjit-compile" "$L/ckjit-link"; do
  # shellcheck disable=SC2086 # a program and its command
  {
    pipe $p --nonsense
    plain "$p"
    pipe $p --color=always --nonsense
    colored "$p --color=always"
    pipe $p --nonsense --color always
    colored "$p --color always behind the mistake"
    pipe $p --color=always --color=never --nonsense
    plain "$p --color=never"
    pipe $p --color=red
    grep -q "color: expected never, always or auto, found 'red'" "$T/out" || fail "$p: $(cat "$T/out")"
    pipe $p --color
    grep -q 'color' "$T/out" || fail "$p --color: $(cat "$T/out")"
  }
done
pipe "$B/bin/ckjit-build" --color=always ful
colored 'before the command'
pipe "$L/ckjit-nvcc" --color=always --nonsense
colored ckjit-nvcc
pipe "$L/ckjit-nvcc" --nonsense
plain ckjit-nvcc

p="$B/bin/ckjit-prebuild"
tty "$p" list --nonsense
colored terminal
tty "$p" --color=auto list --nonsense
colored auto
tty env NO_COLOR=1 "$p" list --nonsense
plain NO_COLOR
tty env NO_COLOR= "$p" list --nonsense
colored 'an empty NO_COLOR'
tty env NO_COLOR=1 "$p" --color=always list --nonsense
colored 'an option counts for more than NO_COLOR'
tty env TERM=dumb "$p" list --nonsense
plain TERM=dumb
tty env -u TERM "$p" list --nonsense
plain 'without TERM'
tty "$p" list --color=never --nonsense
plain never

# the wrapper takes a compiler's options
fake_home "$T/h"
rm "$T/h/real/bin/hipcc"
tty "$T/h/bin/hipcc" -c a.cu
colored 'the wrapper on a terminal'
tty "$T/h/bin/hipcc" -c a.cu -fno-color-diagnostics
plain 'the wrapper, -fno-color-diagnostics'
tty "$T/h/bin/hipcc" -c a.cu -fdiagnostics-color=never
plain 'the wrapper, -fdiagnostics-color=never'
pipe "$T/h/bin/hipcc" -c a.cu
plain 'the wrapper'
pipe "$T/h/bin/hipcc" -fno-color-diagnostics -fcolor-diagnostics -c a.cu
colored 'the wrapper, -fcolor-diagnostics'

# of a message of several lines the first is bold; notes and warnings have their own colours
echo '{"a": ["1", 2]}' >"$T/m.json"
pipe "$p" --color=always matrix "$T/m.json"
grep -q "$escape\\[0;1;35mwarning: " "$T/out" || fail "no magenta: $(cat "$T/out")"
