# shim_fixture.sh - runtime_shim.c, the compiler that costs no processor time: sourced by the fixtures that use it.
# shellcheck shell=sh
#
#   shim PROGRAM COUNT TEMPLATE   the compiler, and its template with value_<0> … value_<COUNT-1>. Compiled once a run
#
# It logs each start and end, and goes by the files of its control directory: STEM.fail makes it fail, STEM.sleep take so many
# milliseconds, STEM.hold makes it last until that file is removed; hold is for all. A test that has to come before the end of a
# compile holds it.
need gcc g++
shim_sources=$(sha256sum <"${here:?}/unit/runtime_shim.c")

shim() {
  [ -x "$1" ] || once_file "$1" "$shim_sources" gcc -std=gnu11 -D_GNU_SOURCE -O1 "$here/unit/runtime_shim.c"
  shim_=$1
  once_file "$3" "$shim_sources ${CROSS-}" shim_template "$2"
}
shim_template() {
  "$shim_" --emit "$1" >"$T/template.cpp"
  shift
  "${CROSS:+$CROSS-linux-gnu-}g++" -shared -fPIC -O1 -Wl,--build-id="0x$(printf '%048d' 0 | tr 0 a)01000000" "$T/template.cpp" "$@"
}
