#!/bin/sh
# units-late-one-copy.sh, with units of HIP, whose compiler does not mark such variables as unique.
# tier: all
# seconds: 60
dialect=hip exec bash "${0%/*}/units-late-one-copy.sh"
