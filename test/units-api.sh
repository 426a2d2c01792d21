#!/bin/bash
# libckjit.so and a library of lazy units of HIP: it lists the units, compiles, exports and prewarms each with all its kernels, by the unit's name or
# that of one of its kernels; a launch then finds them, without a compiler. The mangled name of a kernel is none of a function. One that is
# gone, and a miss that may not be compiled, are errors.
# tier: all
# seconds: 20
. "${0%/*}/common.sh"
. "$here/unit/hip_fixture.sh"
. "$here/unit/units_api_fixture.sh"
two_units
units_api gfx90a hip HIPRT_LOG .kd
