#!/bin/sh
# faults-kill.sh for hours: SIGKILL at each system call.
# tier: long
# timeout: 86400
COUNT=0 exec "${0%/*}/faults-kill.sh"
