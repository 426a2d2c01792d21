"""kernels_of.py SO: each architecture of the code objects in a compiled blob, and 1 where it has a kernel, else 0."""

import struct
import sys

data = open(sys.argv[1], "rb").read()
at = data.index(b"__CLANG_OFFLOAD_BUNDLE__")
(count,) = struct.unpack_from("<Q", data, at + 24)
entry = at + 32
for _ in range(count):
    offset, size, length = struct.unpack_from("<3Q", data, entry)
    name = data[entry + 24 : entry + 24 + length].decode()
    entry += 24 + length
    if name.startswith("hip"):  # hipv4-amdgcn-amd-amdhsa--gfx90a
        print(name.split("--")[1], int(b".kd\0" in data[at + offset : at + offset + size]))
