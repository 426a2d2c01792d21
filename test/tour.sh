#!/bin/sh
# docs/tour.md: its commands run as they stand there, and every file and function that it names is where it says.
# tier: check
# seconds: 8
. "${0%/*}/common.sh"
need hipcc
tour=$here/../docs/tour.md

# blocks: what stands between ```sh and ```
blocks() {
  awk '/^```sh$/ {on = 1; next} /^```$/ {on = 0} on' "$1"
}
mkdir -p "$T/tree"
ln -s "$B" "$T/tree/build"
cd "$T/tree"
blocks "$tour" >"$T/commands"
grep -c '' "$T/commands" | grep -q '^1[0-9]$' || fail "docs/tour.md: expected 10 to 19 lines of commands: $(cat "$T/commands")"
sh -eu "$T/commands" >"$T/out" 2>"$T/err" || fail "$(cat "$T/out" "$T/err")"
[ "$(cat "$T/out")" = '49
49' ] || fail "printed $(cat "$T/out")"
[ "$(grep -c 'power_2: compiled in' "$T/err")" = 1 ] || fail "not compiled once: $(cat "$T/err")"
[ "$(grep -c 'power_2: loaded from' "$T/err")" = 2 ] || fail "not loaded twice: $(cat "$T/err")"
lacks "power_3 was not called" power_3 "$T/err"

# named FILE: what is wrong with the names in FILE, a line each: paths from the top that are not there, functions that no
# file of C defines or declares. bin/ and home/ are below the fake home; NAME stands for a name.
named() {
  grep -o '`[^`]*`' "$1" | tr -d '`' | grep -E '^[a-z]+/[A-Za-z_/.-]+$' | grep -vE '^(bin|home)/|NAME' | sort -u | while read -r path; do
    [ -e "$here/../$path" ] || echo "there is no $path"
  done
  grep -oE '`[a-z_]+\(\)`' "$1" | tr -d '`()' | sort -u | while read -r function; do
    grep -rqE --include='*.[ch]' "^[a-zA-Z_].*[ *]$function\(" "$here/../core" "$here/../abi" "$here/../driver" "$here/../wrapper" \
      "$here/../postbuild" "$here/../runtime" "$here/../compile" "$here/../prebuild" "$here/../unit" "$here/../api" || echo "there is no function $function"
  done
}
named "$tour" >"$T/wrong"
[ ! -s "$T/wrong" ] || fail "docs/tour.md: $(cat "$T/wrong")"

# and these checks can fail
sed -e 's|core/cxx/cxxscan.c|core/cxx/gone.c|' -e 's/wrap_record()/wrap_gone()/' "$tour" >"$T/bad.md"
[ "$(named "$T/bad.md")" = 'there is no core/cxx/gone.c
there is no function wrap_gone' ] || fail "a bad tour was taken: $(named "$T/bad.md")"
