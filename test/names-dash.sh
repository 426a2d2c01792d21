#!/bin/bash
# Names that look like options.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/names_fixture.sh"
road -dash -dash ./-dash.cpp
road -o -x ./-x.cpp
road --output --blob ./--blob.cpp
