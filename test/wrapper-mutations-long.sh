#!/bin/sh
# wrapper-mutations.sh for hours: twenty thousand mutated command lines.
# tier: long
# timeout: 86400
COUNT=20000 exec "${0%/*}/wrapper-mutations.sh"
