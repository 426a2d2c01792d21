#!/bin/bash
# bash completes the words of ckjit as those of the program that has the command; a profile by its name, not by files that lie about.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
. "$here/unit/prebuild_fixture.sh"
# shellcheck source=/dev/null
. "$here/../share/completions/ckjit.bash"
# bash has it while it completes alone
compopt() {
  :
}
cd "$T"
touch hipster cudart home
mkdir -p profiles
touch profiles/mine.yaml
# completes WANTED WORD…: the last word is completed to these, sorted
completes() {
  wanted=$1
  shift
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _ckjit "$1" "${*: -1}" "${*: -2:1}"
  found=$(printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' ')
  [ "${found% }" = "$wanted" ] || fail "$*: '$found' instead of '$wanted'"
}
PATH=$B/bin:$PATH
completes 'cuda hip' ckjit-build home --profile ''
completes hip ckjit-build home --profile h
completes profiles/mine.yaml ckjit-build home --profile profiles/
completes 'verify' ckjit ver
completes 'help home' ckjit h
completes 'cuda hip' ckjit run --profile ''
completes 'cache-noexec cache-not-made cache-not-trusted cache-not-written' ckjit help cache-
completes 'topics' ckjit help topi
[ "$(ckjit help topics)" = "$(sed -n 's/^<a id="\(.*\)"><\/a>$/\1/p' "$here/../docs/troubleshooting.md")" ] || fail "topics: $(ckjit help topics)"
completes '' ckjit help cache c
completes '--profile' ckjit home --p
completes 'cuda hip' ckjit home --profile ''
completes 'full' ckjit fu
completes '--aiter-dir' ckjit build full --ai
completes 'verify' ckjit prebuild ver
completes '--write-blob-list' ckjit cache --wr
completes 'human' ckjit prebuild cache --format hu
completes '' ckjit prebuild cache --format so
completes '--cache-dir --color --help' ckjit status --
completes '--write-blob-list' ckjit-prebuild cache --w

# values after an equals sign, operands, what is on the line already, options of the command that run starts
"$B/bin/ckjit" --complete home --profile=h | grep -qx -e '--profile=hip' || fail "--profile=h: $("$B/bin/ckjit" --complete home --profile=h)"
completes '--aiter-dir --aot-list --api' ckjit full --jobs 3 --anew --a
completes 'view' ckjit trace ''
completes 'profiles/mine.yaml' ckjit trace view profiles/
completes 'profiles' ckjit run make profi
completes 'profiles' ckjit home --dir pro
completes '' ckjit nonsense ''

# the stems of the manifest on the line; the program beside the front command is asked
export CK_JIT_CACHE_DIR="$T/cache"
install_tree
completes 'blob_1 blob_2 blob_3 blob_4 blob_5 blob_FAIL_HERE' ckjit prebuild list --manifest "$I/ck_jit_manifest.json" blob
mkdir bin
cp "$B/bin/ckjit" bin/ckjit
printf '#!/bin/sh\necho stem_of "$@"\n' >bin/ckjit-prebuild
chmod +x bin/ckjit-prebuild
completes 'stem_of --complete list --manifest m stem' "$T/bin/ckjit" prebuild list --manifest m stem
