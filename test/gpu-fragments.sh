#!/bin/sh
# On a real GPU, kernels of units with relocatable device code (nvcc -rdc=true) print what nvcc's library prints, when each was linked at its first
# launch, and a second process links nothing. With another filter one fragment is compiled, and what uses it linked.
# tier: long
. "${0%/*}/common.sh"
. "$here/gpu/fixture.sh"
. "$here/gpu/fragments_fixture.sh"
form() { link_objects; }
compare ''
compare 3 -DFACTOR=3
