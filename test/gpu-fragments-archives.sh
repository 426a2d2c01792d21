#!/bin/sh
# On a real GPU, kernels of units with relocatable device code print what nvcc's library prints if their units come from an archive, and if `ld -r` made
# one object of them, which nvlink itself cannot read.
# tier: long
. "${0%/*}/common.sh"
. "$here/gpu/fixture.sh"
. "$here/gpu/fragments_fixture.sh"
need ar ld
# shellcheck disable=SC2317 # compare calls the form of the moment
form() { ar rc libparts.a parts.o filter.o && nvcc "-arch=sm_$arch" -rdc=true -shared entry.o -L. -lparts -o libone.so; }
compare ''
form() { ld -r entry.o parts.o filter.o -o joined.o && nvcc "-arch=sm_$arch" -rdc=true -shared joined.o -o libone.so; }
compare -joined -DFACTOR=3
