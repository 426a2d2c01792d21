#!/bin/sh
# soak.sh for hours: three thousand calls, of every variant.
# tier: long
# timeout: 86400
RIGHT=3000 SMALL=0 exec "${0%/*}/soak.sh"
