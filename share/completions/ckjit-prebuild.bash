# ckjit-prebuild.bash - completion for bash; installed as share/bash-completion/completions/ckjit-prebuild
_ckjit_prebuild() {
  local cur=$2 prev=$3 program=${COMP_WORDS[0]/#\~\//$HOME/}
  COMPREPLY=()
  case $prev in
  --cache-dir | --root | --output-dir)
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -d -- "$cur")
    return
    ;;
  --manifest | --blob-list | --capture | --matrix | --template | --output | -o | --times | --write-blob-list)
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    return
    ;;
  --arch)
    mapfile -t COMPREPLY < <(compgen -W 'gfx90a gfx942 gfx950 sm_80 sm_90 sm_100' -- "$cur")
    return
    ;;
  --format)
    local formats='so obj code-object bitcode asm'
    [ "${COMP_WORDS[1]}" = cache ] && formats='human blob-list'
    mapfile -t COMPREPLY < <(compgen -W "$formats" -- "$cur")
    return
    ;;
  --color)
    mapfile -t COMPREPLY < <(compgen -W 'never always auto' -- "$cur")
    return
    ;;
  --symbol | --add-flags) return ;;
  --shard)
    mapfile -t COMPREPLY < <(compgen -W 'auto' -- "$cur")
    return
    ;;
  --jobs | -j | --job-memory | --name-format) return ;;
  esac
  if [ "$COMP_CWORD" = 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W 'list build clean times export matrix pack unpack status warm cache verify stats doctor trace help --help --version' -- "$cur")
  elif [ "${cur:0:1}" = - ]; then
    # those that the command's page lists
    mapfile -t COMPREPLY < <(compgen -W "$("$program" "${COMP_WORDS[1]}" --help 2>/dev/null | sed -n 's/^  \(-., \)\{0,1\}\(--[a-z0-9-]*\).*/\2/p') --help" -- "$cur")
  elif [ "${COMP_WORDS[1]}" = help ]; then
    mapfile -t COMPREPLY < <(compgen -W 'list build clean times export matrix pack unpack status warm cache verify stats doctor trace environment' -- "$cur")
  elif [ "${COMP_WORDS[1]}" = trace ] && [ "$COMP_CWORD" = 2 ]; then
    mapfile -t COMPREPLY < <(compgen -W 'view' -- "$cur")
  elif [ "${COMP_WORDS[1]}" = trace ] || [ "${COMP_WORDS[1]}" = matrix ] || [ "${COMP_WORDS[1]}" = unpack ]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  elif [ "${COMP_WORDS[1]}" = warm ]; then
    return
  else
    # Files of libraries, and stems: of the manifest that is named on the line, or of the library that ckjit finds.
    local manifest=() i
    for ((i = 1; i < COMP_CWORD; i++)); do
      [ "${COMP_WORDS[i]}" = --manifest ] && manifest=(--manifest "${COMP_WORDS[i + 1]}")
    done
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -W "$("$program" list "${manifest[@]}" 2>/dev/null)" -- "$cur"; compgen -f -X '!*.so*' -- "$cur"; [ -z "$cur" ] || compgen -d -- "$cur")
  fi
}
complete -F _ckjit_prebuild ckjit-prebuild
