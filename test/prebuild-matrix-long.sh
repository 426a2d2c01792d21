#!/bin/sh
# prebuild-matrix.sh for hours: twenty thousand random documents.
# tier: long
# timeout: 86400
COUNT=20000 exec "${0%/*}/prebuild-matrix.sh"
