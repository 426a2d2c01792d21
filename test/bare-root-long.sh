#!/bin/sh
# bare-root.sh in a Debian 12.
# tier: long
# timeout: 7200
# seconds: 850
RELEASE=bookworm exec "${0%/*}/bare-root.sh"
