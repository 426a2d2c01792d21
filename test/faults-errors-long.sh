#!/bin/sh
# faults-errors.sh for hours: each error of each system call.
# tier: long
# timeout: 86400
COUNT=0 exec "${0%/*}/faults-errors.sh"
