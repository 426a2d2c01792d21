#!/bin/sh
# real-ck.sh with the kernels of all head dimensions.
# tier: long
# seconds: 300
CK_ALL=1 exec "${0%/*}/real-ck.sh"
