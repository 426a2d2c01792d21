#!/usr/bin/env python3
"""cubin_text.py FILE... - the machine code of each kernel in the cubins, one a line, sorted: its name, how many bytes, a digest of the
instructions without their immediates, a digest of all.

An immediate may be where in constant bank 4 the address of a variable, string or function stands, which is another place where other
kernels have none there. The name of what is internal to a unit has a part that is made up; it is printed as ?.
"""
import hashlib
import re
import struct
import sys


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


def sections(data):
    assert data[:6] == b"\x7fELF\x02\x01", "no 64-bit little-endian ELF"
    at, = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    headers = [struct.unpack_from("<IIQQQQ", data, at + i * size) for i in range(count)]
    strings = headers[names][4]
    for name, kind, _, _, offset, length in headers:
        begin = strings + name
        yield data[begin:data.index(b"\0", begin)].decode(), data[offset:offset + length]


lines = set()
for path in sys.argv[1:]:
    with open(path, "rb") as f:
        for name, text in sections(f.read()):
            if name.startswith(".text.") and text:
                name = re.sub(r"\d*(_INTERNAL_|_GLOBAL__N__)[0-9a-f]{8}_\d+_\w+_cu_[0-9a-f]{8}_\d+", r"\1?", name[6:])
                bare = b"".join(text[i:i + 4] + text[i + 8:i + 16] for i in range(0, len(text), 16))
                lines.add(f"{name} {len(text)} {digest(bare)} {digest(text)}")
print("\n".join(sorted(lines)))
