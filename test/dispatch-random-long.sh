#!/bin/sh
# dispatch-random.sh for hours: a thousand seeds of each kind of dispatcher.
# tier: long
# timeout: 86400
SEEDS=1000 exec "${0%/*}/dispatch-random.sh"
