#!/bin/sh
# units-late.sh, with units of HIP.
# tier: check
# seconds: 30
dialect=hip exec bash "${0%/*}/units-late.sh"
