#!/bin/sh
# A mistake on the command line is named as it was written, with what was probably meant and where the options are listed.
# tier: check
. "${0%/*}/common.sh"
says() {
  text=$1
  shift
  status=0
  "$@" >"$T/out" 2>&1 || status=$?
  [ "$status" = 2 ] || fail "$*: status $status: $(cat "$T/out")"
  grep -qF -e "$text" "$T/out" || fail "$*: not '$text' but: $(cat "$T/out")"
}
build=$B/bin/ckjit-build prebuild=$B/bin/ckjit-prebuild compile=$B/bin/ckjit-compile
says "ckjit-prebuild: error: unknown option '--cash-dir'; did you mean '--cache-dir'? See ckjit build --help" \
  "$prebuild" build --cash-dir "$T"
says "unknown option '--cash-dir'; did you mean '--cache-dir'?" "$prebuild" build --cash-dir="$T"
says "unknown option '-manifest'; did you mean '--manifest'?" "$prebuild" list -manifest m.json
says "unknown option '-x'; see ckjit list --help" "$prebuild" list -x
says "unknown option '--zyxwvu'; see ckjit list --help" "$prebuild" list --zyxwvu
says "option '--cache-dir' needs a value; see ckjit build --help" "$prebuild" build --cache-dir
says "option '-j' needs a value" "$build" full -j
says "option '--all' takes no value, found '--all=3'" "$prebuild" build --all=3
says "option '--out' is ambiguous: --output-dir, --output; see" "$prebuild" matrix --out x
says "unknown option '--tmpdir'; did you mean '--tmp-dir'? See ckjit full --help" "$build" full --tmpdir "$T"
says "unknown option '--bolb'; did you mean '--blob'? See ckjit-compile --help" "$compile" --bolb x
says "unknown option '--colour'; did you mean '--color'?" "$compile" --colour=never

says "unknown command 'ful': expected home, run, full, quick, relink, bundle, explain or export-compile-commands; did you mean 'full'? See ckjit-build --help" "$build" ful
says "expected a command: home, run, full, quick, relink, bundle, explain or export-compile-commands; see ckjit-build --help" "$build"
says "unknown option '--aiter-dir'" "$build" --aiter-dir x full
says "unknown command 'exprot': expected list, build, clean, times, export, matrix, pack, unpack, status, warm, ready, cache, verify, stats, doctor, trace, log, report, keygen or sign; did you mean 'export'?" "$prebuild" exprot
says "unknown command 'hlep'" "$prebuild" hlep list
says "unknown command 'nosuch'" "$prebuild" help nosuch
says "unknown command 'nosuch'" "$build" help nosuch

# what was short for an option before there was --color still is
says "option '--cache-dir' needs a value" "$prebuild" build --cac
# an abbreviation is of the command's own options, wherever its word is; written out, an option of another command is named
for command in build list clean times unpack status; do
  says "option '--cache-dir' needs a value" "$prebuild" $command --ca
done
says "option '--cache-dir' needs a value" "$prebuild" --verb build --ca
says "option '--cache-dir' needs a value" "$prebuild" --root pack build --ca
says "option '--output' needs a value" "$prebuild" export --out
says "option '--c' is ambiguous: --capture, --cache-dir; see ckjit pack --help" "$prebuild" pack --c
says "option '--c' is ambiguous" "$prebuild" --c
says "build: --template goes with matrix" "$prebuild" build --all --template x
