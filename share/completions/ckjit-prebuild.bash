# ckjit-prebuild.bash - completion for bash; installed as share/bash-completion/completions/ckjit-prebuild
_ckjit_prebuild() {
  local cur=$2 prev=$3
  COMPREPLY=()
  case $prev in
  --cache-dir | --root)
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -d -- "$cur")
    return
    ;;
  --manifest | --blob-list)
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    return
    ;;
  --arch)
    mapfile -t COMPREPLY < <(compgen -W 'gfx90a gfx942 gfx950' -- "$cur")
    return
    ;;
  --format)
    mapfile -t COMPREPLY < <(compgen -W 'so obj code-object bitcode asm' -- "$cur")
    return
    ;;
  --output | -o)
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    return
    ;;
  --symbol) return ;;
  --jobs | -j | --job-memory) return ;;
  esac
  if [ "$COMP_CWORD" = 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W 'list build clean export --help --version' -- "$cur")
  elif [ "${cur:0:1}" = - ]; then
    mapfile -t COMPREPLY < <(compgen -W '--blob-list --all --manifest --cache-dir --root --arch --jobs --job-memory --json --format --output --symbol --verbose --help' -- "$cur")
  else
    # Stems, from the manifest that is named on the line or lies beside the program.
    local manifest=() i
    for ((i = 1; i < COMP_CWORD; i++)); do
      [ "${COMP_WORDS[i]}" = --manifest ] && manifest=(--manifest "${COMP_WORDS[i + 1]}")
    done
    mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" list "${manifest[@]}" 2>/dev/null)" -- "$cur")
  fi
}
complete -F _ckjit_prebuild ckjit-prebuild
