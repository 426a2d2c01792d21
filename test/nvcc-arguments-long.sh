#!/bin/sh
# nvcc-arguments.sh for hours: twenty thousand mutated command lines of nvcc.
# tier: long
# timeout: 86400
COUNT=20000 exec "${0%/*}/nvcc-arguments.sh"
