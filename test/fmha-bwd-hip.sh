#!/bin/sh
# A kernel source of examples/fmha-bwd, built for a GPU, with a HIP without one: its first call is a launch in a capture,
# through an address that was stored before. What it compiles, loads and registers calls nothing of HIP that a capture forbids.
# A second process compiles nothing; a failing compile leaves the capture valid.
# tier: all
# seconds: 8
. "${0%/*}/common.sh"
. "$here/unit/hip_fixture.sh"
. "$here/unit/fmha_bwd_forms_fixture.sh"
need make python3
export PYTHONDONTWRITEBYTECODE=1
unset MAKEFLAGS MFLAGS MAKELEVEL
example=$(cd "$here/../examples/fmha-bwd" && pwd)
units_home
as_build make -C "$example" B="$T/build" DEVICE=1 CXXFLAGS=-O1 TARGETS=gfx9 DTYPES=fp32 HDIMS=32 \
  FILTER='*_group_b16x16_maxq0_nmask_det*' "$T/build/libfmha_bwd.so" >make.log || fail "$(tail -n 20 make.log err)"
grep -q ' 0 compiled ahead of time' err || fail "$(cat err)"
hipcc -x hip --offload-host-only --offload-arch=gfx90a -std=c++17 -O0 -DFMHA_BWD_ON_DEVICE -DHIPRT \
  -I"$example/include" -c "$here/gpu/stored.cpp" -o stored.o
# shellcheck disable=SC2086 # words
g++ stored.o -o stored-program -Lbuild -lfmha_bwd $gpu_link -Wl,-rpath,"$T/build"
stored() { run ./stored-program "$@"; }

modes=global # the others are alike here
stored_launches
stored_failure CK_JIT_HIPCC=/bin/false
