#!/bin/sh
# On a real GPU, kernels that nvlink links because the toolkit has no libnvJitLink.so print what nvcc's library prints.
# tier: long
. "${0%/*}/common.sh"
. "$here/gpu/fixture.sh"
. "$here/gpu/fragments_fixture.sh"
. "$here/unit/bare_toolkit_fixture.sh"
bare_toolkit "$T/toolkit"
[ -n "$nvvm" ] || skip "$cuda has no libnvvm.so, which nvlink links LTO-IR by"
rm "$T/toolkit/bin/nvlink"
printf '#!/bin/sh\necho run >>%s\nexec %s "$@"\n' "$T/nvlinks" "$cuda/bin/nvlink" >"$T/toolkit/bin/nvlink"
chmod +x "$T/toolkit/bin/nvlink"
home_of "$T/toolkit"
form() { link_objects && rm -f "$T/nvlinks"; }
compare ''
is 'links by nvlink' 6 "$(wc -l <nvlinks)" # times has two
