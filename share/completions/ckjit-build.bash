# ckjit-build.bash - completion for bash; installed as share/bash-completion/completions/ckjit-build
_ckjit_build() {
  local cur=$2 prev=$3
  COMPREPLY=()
  case $prev in
  --aiter-dir | --tmp-dir | --install-dir | --dir | --rocm | --cuda | --work)
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -d -- "$cur")
    return
    ;;
  --profile)
    # a name, or a path with a slash
    mapfile -t COMPREPLY < <(compgen -W "hip cuda" -- "$cur")
    case $cur in */*)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$cur")
      ;;
    esac
    return
    ;;
  --aot-list)
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    return
    ;;
  --color)
    mapfile -t COMPREPLY < <(compgen -W 'never always auto' -- "$cur")
    return
    ;;
  --api)
    mapfile -t COMPREPLY < <(compgen -W 'fwd bwd' -- "$cur")
    return
    ;;
  --gpu-archs)
    mapfile -t COMPREPLY < <(compgen -W 'gfx90a gfx942 gfx950' -- "$cur")
    return
    ;;
  --ck-tile-bf16)
    mapfile -t COMPREPLY < <(compgen -W '3 aiter' -- "$cur")
    return
    ;;
  --jobs | -j) return ;;
  esac
  if [[ ${COMP_WORDS[1]} =~ ^explain$|^export- ]] && [ "$COMP_CWORD" != 1 ] && [[ $cur != -* ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    return
  fi
  # the command that run starts, and what follows it
  if [ "${COMP_WORDS[1]}" = run ] && [ "$COMP_CWORD" != 1 ] && [[ $cur != -* ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -c -f -- "$cur")
    return
  fi
  local words
  case ${COMP_WORDS[1]} in
  full) words='--aiter-dir --gpu-archs --ck-tile-bf16 --tmp-dir --install-dir --aot-list --api --anew --jobs --trace --verbose --color --help' ;;
  quick) words='--tmp-dir --aiter-dir --install-dir --verbose --color --help' ;;
  relink) words='--tmp-dir --aot-list --install-dir --jobs --verbose --color --help' ;;
  explain) words='--summary --all --only --replay --profile --stock --json --color --help' ;;
  export-compile-commands) words='--output --color --help' ;;
  home | run) words='--dir --profile --rocm --cuda --work --units --color --help' ;;
  help) words='home run full quick relink explain export-compile-commands environment' ;;
  *) words='home run full quick relink explain export-compile-commands help --help --version' ;;
  esac
  [ "$COMP_CWORD" = 1 ] && words='home run full quick relink explain export-compile-commands help --help --version'
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -F _ckjit_build ckjit-build
