#!/bin/sh
# README's two commands, both in Debian 12 and in Debian 13.
# tier: long
# serial
# timeout: 7200
BARE_ROOT=both exec "${0%/*}/bare-root.sh"
