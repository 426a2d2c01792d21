# ckjit.bash - completion for bash; installed as share/bash-completion/completions/ckjit
# What follows a command is completed as behind the name of its program, by the file beside this one.
_ckjit() {
  local dir=${BASH_SOURCE[0]%/*} program from=1 name
  if [ "$COMP_CWORD" = 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W 'run home full quick relink explain export-compile-commands list build warm pack unpack export matrix times cache verify clean status stats trace doctor help --help --version' -- "$2")
    return
  fi
  if [ "${COMP_WORDS[1]}" = help ]; then
    [ "$COMP_CWORD" = 2 ] || return 0
    mapfile -t COMPREPLY < <(compgen -W "run home full quick relink explain export-compile-commands list build warm pack unpack export matrix times cache verify clean status stats trace doctor topics environment $("${COMP_WORDS[0]/#\~\//$HOME/}" help topics 2>/dev/null)" -- "$2")
    return
  fi
  # `ckjit build full` and `ckjit prebuild list` are the long names without their prefix.
  case "${COMP_WORDS[1]} ${COMP_WORDS[2]}" in
  "build run" | "build home" | "build full" | "build quick" | "build relink" | "build explain" | "build export-compile-commands")
    program=ckjit-build from=2 ;;
  "prebuild "*) program=ckjit-prebuild from=2 ;;
  *)
    case ${COMP_WORDS[1]} in
    run | home | full | quick | relink | explain | export-compile-commands) program=ckjit-build ;;
    *) program=ckjit-prebuild ;;
    esac
    ;;
  esac
  for name in "$dir/$program" "$dir/$program.bash"; do
    # shellcheck disable=SC1090 # one of the two beside this file
    declare -F "_${program//-/_}" >/dev/null || [ ! -f "$name" ] || . "$name"
  done
  COMP_WORDS=("${COMP_WORDS[0]%ckjit}$program" "${COMP_WORDS[@]:from}")
  COMP_CWORD=$((COMP_CWORD - from + 1))
  "_${program//-/_}" "$program" "$2" "$3"
}
complete -F _ckjit ckjit
