#!/bin/sh
# libmha_fwd.so of mini-aiter against its stock build: the whole road, to the same bits, from an install tree that was moved.
# tier: all
# seconds: 68
. "${0%/*}/common.sh"
. "$here/unit/mini_fixture.sh"
road fwd
