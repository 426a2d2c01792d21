#!/bin/sh
# compile-takeover.sh three hundred times.
# tier: long
# seconds: 150
ROUNDS=${ROUNDS-300} exec "${0%/*}/compile-takeover.sh"
