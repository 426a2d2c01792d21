#!/bin/sh
# soak.sh for half an hour, with every variant.
# tier: long
# timeout: 86400
MINUTES=${MINUTES-30} RIGHT=${RIGHT-1000} SMALL=0 exec "${0%/*}/soak.sh"
