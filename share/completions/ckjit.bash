# ckjit.bash - completion for bash; installed as share/bash-completion/completions/NAME for each program
#
# The program says what its words may become (core/base/options.h).
_ckjit() {
  local word
  COMPREPLY=()
  while IFS=$'\t' read -r word _; do
    case $word in
    :files) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$2") ;;
    :directories) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$2") ;;
    :libraries) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -X '!*.so*' -- "$2"; [ -z "$2" ] || compgen -d -- "$2") ;;
    :command) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -c -f -- "$2") ;;
    "$2"*) COMPREPLY+=("$word") && continue ;;
    *) continue ;;
    esac
    compopt -o filenames 2>/dev/null
  done < <("${COMP_WORDS[0]/#\~\//$HOME/}" --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null)
}
complete -F _ckjit ckjit ckjit-build ckjit-prebuild
