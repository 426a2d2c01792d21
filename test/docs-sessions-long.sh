#!/bin/sh
# docs-sessions.sh with the sessions of all documents.
# tier: long
# timeout: 3600
ALL_SESSIONS=1 "${0%/*}/docs-sessions.sh"
