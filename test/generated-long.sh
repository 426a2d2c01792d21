#!/bin/sh
# generated.sh with 2,000 builds.
# tier: long
# timeout: 40000
BUILDS="${BUILDS:-2000}" exec "${0%/*}/generated.sh"
