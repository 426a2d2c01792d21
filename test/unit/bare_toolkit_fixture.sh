# bare_toolkit_fixture.sh - a CUDA toolkit without libnvJitLink.so: source it behind cuda_units_fixture.sh.
#
#   bare_toolkit DIR    make it; $nvvm is its libnvvm.so, "" if there is none
#   home_of DIR         as_build is of it from now on
# shellcheck shell=bash disable=SC2034,SC2154
bare_toolkit() {
  mkdir -p "$1/bin" "$1/lib64" "$1/nvvm"
  local file name
  for file in "$cuda"/*; do
    name=${file##*/}
    case $name in
    bin | lib | lib64 | nvvm | targets) ;;
    *) ln -s "$file" "$1/$name" ;;
    esac
  done
  ln -s lib64 "$1/lib"
  for file in "$cuda"/bin/*; do ln -s "$file" "$1/bin/"; done
  for file in "$cuda"/lib64/*; do
    case $file in *nvJitLink*) ;; *) ln -s "$file" "$1/lib64/" ;; esac
  done
  for file in "$cuda"/nvvm/*; do ln -s "$file" "$1/nvvm/"; done
  rm "$1/bin/nvcc" # it looks where it is itself
  cp "$cuda/bin/nvcc" "$1/bin/nvcc"
  nvvm=
  for file in "$cuda/nvvm/lib64/libnvvm.so" "$cuda/lib64/libnvvm.so" "$cuda/lib64/libnvvm.so.4"; do
    [ -n "$nvvm" ] || [ ! -e "$file" ] || nvvm=$file
  done
}
home_of() {
  rm -rf "${T:?}/home"
  CUDA_HOME=$1 "$B/bin/ckjit-build" home --dir "$T/home" --profile cuda --units >"$T/exports" 2>"$T/home.log" || fail "no fake home of $1: $(tail -n 1 "$T/home.log")"
}
