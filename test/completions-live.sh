#!/bin/bash
# bash, zsh and fish offer the options of each command that its --help lists, and no other; its commands, the topics of `help`, the values of
# --profile and --format. zsh runs on a terminal (completions/zsh.py), fish tells what it would offer.
# tier: long
# seconds: 40
. "${0%/*}/common.sh"
need zsh fish python3 make
top=$(dirname "$here")
make -s -C "$top" B="$B" install PREFIX="$T/inst" >"$T/log" 2>&1 || fail "$(cat "$T/log")"
export PATH=$T/inst/bin:$PATH HOME=$T/home XDG_DATA_DIRS=$T/inst/share:/usr/share XDG_DATA_HOME=$T/home XDG_CONFIG_HOME=$T/home XDG_CACHE_HOME=$T/home
mkdir "$HOME"
cd "$HOME"

# lines.N, wanted.N: a line to complete, and what is to be offered, sorted
n=0
line() {
  n=$((n + 1))
  printf '%s\n' "$1" >>"$T/lines"
  printf '%s\n' "$2" | tr ' ' '\n' | sort | paste -sd ' ' >>"$T/wanted"
}
# commands PROGRAM: those that its page lists, and help
commands() {
  "$1" --help | sed -n 's/^  \([a-z][a-z-]*\)  *[^ ].*/\1/p' | grep -v '^ckjit' | tr '\n' ' '
  echo help
}
options() {
  {
    "$@" --help | sed -n 's/^  \(-., \)\{0,1\}\(--[a-z0-9-]*\).*/\2/p'
    echo --help
  } | sort -u | paste -sd ' '
}
for program in ckjit ckjit-build ckjit-prebuild; do
  line "$program " "$(commands $program)"
  for command in $(commands $program | sed 's/ help$//; s/ help / /'); do
    case $program-$command in ckjit-build | ckjit-prebuild) continue ;; esac
    line "$program $command --" "$(options $program "$command")"
  done
done
line 'ckjit build full --' "$(options ckjit-build full)"
line 'ckjit prebuild export --' "$(options ckjit-prebuild export)"
line 'ckjit prebuild ' "$(commands ckjit-prebuild)"
line 'ckjit help ' "$(commands ckjit | sed 's/ help$//') topics environment $(ckjit help topics | paste -sd ' ')"
line 'ckjit-build help ' "$(commands ckjit-build | sed 's/ help$//') environment"
line 'ckjit-prebuild help ' "$(commands ckjit-prebuild | sed 's/ help$//') environment"
line 'ckjit home --profile ' 'cuda hip'
line 'ckjit explain --profile c' cuda
line 'ckjit cache --format ' 'blob-list human'
line 'ckjit prebuild export --format ' 'asm bitcode code-object obj so'
line 'ckjit trace ' view
line 'ckjit-build full --api ' 'bwd fwd'
line 'ckjit expl' explain

# compare SHELL: what it offered, in $T/offered
compare() {
  [ "$(wc -l <"$T/offered")" = "$n" ] || fail "$1: $(wc -l <"$T/offered") answers to $n lines: $(cat "$T/offered")"
  cmp -s "$T/wanted" "$T/offered" || fail "$1: $(paste -d '\n' "$T/lines" "$T/wanted" "$T/offered" | awk 'NR % 3 == 1 { line = $0 } NR % 3 == 2 { wanted = $0 }
    NR % 3 == 0 && $0 != wanted { print "\"" line "\": expected " wanted; print "    offered " $0 }')"
}
cat >"$T/ask.fish" <<'FISH'
while read -l line
    complete -C "$line" | string replace -r '\t.*' '' | string replace -r '^-[a-z]$' '' | string match -v '' | sort -u | string join ' '
end
exit 0
FISH
fish "$T/ask.fish" <"$T/lines" >"$T/offered" 2>"$T/err" || fail "fish: $(cat "$T/err")"
compare fish

python3 "$here/completions/zsh.py" "$T/inst/share/zsh/site-functions" <"$T/lines" >"$T/offered" || fail "zsh: $(cat "$T/offered")"
compare zsh

# shellcheck source=/dev/null
for file in "$T"/inst/share/bash-completion/completions/*; do . "$file"; done
[ "$(complete -p ckjit ckjit-build ckjit-prebuild | grep -c -- '-F _ckjit ')" = 3 ] || fail "bash: $(complete -p)"
compopt() {
  :
}
while IFS= read -r line; do
  read -ra COMP_WORDS <<<"$line"
  case $line in *' ') COMP_WORDS+=('') ;; esac
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
  function=_ckjit
  $function "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
  printf '%s\n' "${COMPREPLY[@]}" | sort -u | paste -sd ' '
done <"$T/lines" >"$T/offered"
compare bash
