#!/bin/sh
# libmha_bwd.so of mini-aiter against its stock build: the whole road, to the same bits, from an install tree that was moved.
# tier: long
# seconds: 152
. "${0%/*}/common.sh"
. "$here/unit/mini_fixture.sh"
road bwd
