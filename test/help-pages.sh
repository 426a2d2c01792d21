#!/bin/sh
# A help page for each command, with its own options only; the page without a command is short and lists the commands. Each
# option is in the manual, and shells complete it.
# tier: check
. "${0%/*}/common.sh"
export CK_JIT_CACHE_DIR="$T/none"
cd "$T"
page() {
  program=$1 command=$2
  "$B/bin/$program" help "$command" >a || fail "$program help $command"
  "$B/bin/$program" "$command" --help >b || fail "$program $command --help"
  "$B/bin/$program" --help "$command" >c || fail "$program --help $command"
  cmp -s a b && cmp -s a c || fail "$program: three pages of $command"
  grep -q "^usage: .*ckjit $command" a || fail "$program help $command: $(head -n 1 a)"
  [ "$(wc -l <a)" -lt 60 ] || fail "$program help $command: $(wc -l <a) lines"
  sed -n 's/^  \(-., \)\{0,1\}\(--[a-z0-9-]*\).*/\2/p' a >options
  [ -s options ] || fail "$program help $command: no options"
  cat options >>"all.$program"
  while read -r option; do
    "$B/bin/$program" "$command" "$option" --help >said 2>&1 || :
    lacks "$program $command does not know $option of its page" 'unknown option' said
    case $option in --help | --version) continue ;; esac
    grep -qE -- "(Fl|,) ${option#-}( |\$)" "$here/../docs/man/$program.1" || fail "$program.1 has no $option"
  done <options
  "$B/bin/$program" --complete "$command" - | sed 's/\t.*//' >offered
  grep -vx -e --version options | cmp -s - offered || fail "$program $command: shells offer $(cat offered)"
}
for program in ckjit ckjit-build ckjit-prebuild; do
  "$B/bin/$program" --help | sed -n 's/^  \([a-z][a-z-]*\)  *[^ ].*/\1/p' | grep -v ckjit >commands
  [ "$(wc -l <commands)" -ge 5 ] || fail "$program --help: $(cat commands)"
  "$B/bin/$program" --complete '' | sed 's/\t.*//' | grep -vx help | cmp -s - commands || fail "$program: shells offer $("$B/bin/$program" --complete '')"
done
for command in list build clean times export matrix pack unpack status warm ready cache verify stats doctor trace keygen sign; do
  page ckjit-prebuild $command
done
for command in home run full quick relink bundle explain export-compile-commands; do
  page ckjit-build $command
done
"$B/bin/ckjit-compile" --help | sed -n 's/^  \(-., \)\{0,1\}\(--[a-z0-9-]*\).*/\2/p' >options
[ "$(wc -l <options)" -ge 30 ] || fail "ckjit-compile --help: $(cat options)"
while read -r option; do
  grep -qE -- "(Fl|,) ${option#-}( |\$)" "$here/../docs/man/ckjit-compile.1" || fail "ckjit-compile.1 has no $option"
done <options
cp options all.ckjit-compile
for program in ckjit-build ckjit-prebuild ckjit-compile; do
  sed -n 's/^\.It .*Fl -\([a-z0-9-]*\).*/--\1/p' "$here/../docs/man/$program.1" >manual
  [ -s manual ] || fail "$program.1 lists no options"
  sort -u "all.$program" >all
  sort -u manual | comm -23 - all >gone
  [ ! -s gone ] || fail "$program.1 has options that no page has: $(cat gone)"
done
# what belongs to other commands is not there
"$B/bin/ckjit-prebuild" help export >a
lacks 'options of other commands' '--(shard|template|json|names|cache-dir)' a -E
for program in ckjit-build ckjit-prebuild; do
  "$B/bin/$program" --help >a
  [ "$(wc -l <a)" -lt 31 ] || fail "$program --help: $(wc -l <a) lines"
  "$B/bin/$program" help | cmp -s - a || fail "$program help"
  "$B/bin/$program" help environment >a
  grep -q '^  CK_JIT_JOBS$' a || fail "$program help environment: $(cat a)"
  awk 'length > 90 { exit 1 }' a || fail "$program help environment: long lines"
done
"$B/libexec/ckjit/ckjit-link" --help | grep -q '^usage: ckjit-link' || fail 'ckjit-link --help'
