#!/bin/sh
# fuzz-corpus.sh for hours: ten minutes for each target.
# tier: long
# timeout: 86400
FUZZ_SECONDS=600 exec "${0%/*}/fuzz-corpus.sh"
