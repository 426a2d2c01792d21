#!/bin/sh
# make counts what it makes: on a terminal in one line that is written over; elsewhere a line for every 50 files, without escape codes, as with
# NO_COLOR and TERM=dumb; make V=1 prints the commands.
# tier: check
. "${0%/*}/common.sh"
need make
unset NO_COLOR
export TERM=xterm
cd "$here/.."
objects="$T/b/obj/core/base/argv.o $T/b/obj/core/base/human.o"
# again WORD…: make these two anew
again() {
  # shellcheck disable=SC2086 # words
  rm -f $objects
  # shellcheck disable=SC2086
  "$@" make --no-print-directory B="$T/b" $V $objects
}
V=''
again >"$T/out" 2>&1 || fail "$(cat "$T/out")"
is 'in a pipe two files are not worth a line' '' "$(cat "$T/out")"
again python3 "$here/unit/terminal.py" "$T/raw" 100 || fail "$(cat "$T/raw")"
missing=$(tr '\r' '\n' <"$T/raw" | sed -n 's|.*\[2/\([0-9]*\)\] cc .*/human\.o$|\1|p')
[ "${missing:-0}" -gt 100 ] || fail "the second file and how many there are: $(cat -v "$T/raw")"
has 'the first file' "[1/$missing] cc $T/b/obj/core/base/argv.o" "$T/raw"
lacks 'a command' ' -c core/base' "$T/raw"
for how in NO_COLOR=1 TERM=dumb TERM=; do
  again env $how python3 "$here/unit/terminal.py" "$T/raw" 100 || fail "$how: $(cat "$T/raw")"
  [ ! -s "$T/raw" ] || fail "$how: $(cat -v "$T/raw")"
done
V=V=1
again >"$T/out" 2>&1
is 'commands with V=1' 2 "$(grep -c '^[^ ]* .* -c core/base/.* -o ' "$T/out")"

# a line for each 50, and one for each program
for n in $(seq 120); do test/live count cc "file$n.o" "$T/b" 130; done >"$T/out"
is 'lines of 120 files' '2' "$(wc -l <"$T/out")"
has 'the second' '  cc   100 of 130 files, ' "$T/out"
test/live count link "$T/b/bin/ckjit" "$T/b" 130 >"$T/out"
is 'a program' "  link $T/b/bin/ckjit" "$(cat "$T/out")"
test/live end "$T/b" >"$T/out"
grep -q "^made 1[0-9]* files in $T/b in [0-9hms]*\$" "$T/out" || fail "the end: $(cat "$T/out")"
is 'nothing more to say' '' "$(test/live end "$T/b")"
