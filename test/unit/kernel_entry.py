"""kernel_entry.py COMMAND …: what tests of the kernels of lazy units make and look into.

    text FILE ARCH TEXT [ARCH TEXT…]    FILE as the build of a unit leaves it (docs/formats.md)
    fatbin ENTRY FILE                   FILE is the fat binary in ENTRY
    code BUNDLE ARCH FILE               FILE is the code object for ARCH in a fat binary
    same WHOLE ONE KERNEL               KERNEL has the same instructions, descriptor and metadata in both code objects, and so have
                                        the functions that ONE has for it; prints in how many places only the distance to another symbol differs
"""
import hashlib
import struct
import subprocess
import sys


def text(file, *pairs):
    head, frames = b'ckjit-text 3\n', b''
    for arch, name in zip(pairs[::2], pairs[1::2]):
        content = open(name, 'rb').read()
        frame = subprocess.run(['zstd', '-q', '-1', '-c', name], check=True, stdout=subprocess.PIPE).stdout
        digest = hashlib.blake2b(content, digest_size=16).hexdigest()
        head += b'%s %d\t%d\t%s\n' % (arch.encode(), len(content), len(frame), digest.encode())
        frames += frame
    open(file, 'wb').write(head + b'\n' + frames)


class Elf:
    def __init__(self, file):
        self.bytes = open(file, 'rb').read()
        assert self.bytes[:4] == b'\x7fELF', file + ' is no ELF file'
        at, = struct.unpack_from('<Q', self.bytes, 40)
        size, n = struct.unpack_from('<HH', self.bytes, 58)
        self.sections = [struct.unpack_from('<IIQQQQIIQQ', self.bytes, at + i * size) for i in range(n)]

    def section(self, name):
        names = self.sections[struct.unpack_from('<H', self.bytes, 62)[0]][4]
        for s in self.sections:
            if self.bytes[names + s[0]:].startswith(name.encode() + b'\0'):
                return s
        raise AssertionError(name + ' is not there')

    def symbols(self, kind):
        for s in self.sections:
            if s[1] == kind:
                names = self.sections[s[6]][4]
                for at in range(s[4], s[4] + s[5], 24):
                    name, info, _, index, value, size = struct.unpack_from('<IBBHQQ', self.bytes, at)
                    end = self.bytes.index(b'\0', names + name)
                    yield self.bytes[names + name:end].decode(), info & 15, info >> 4, index, value, size

    def content(self, symbol):
        _, _, _, index, value, size = symbol
        s = self.sections[index]
        return self.bytes[s[4] + value - s[3]:s[4] + value - s[3] + size]

    def find(self, name):
        found = [s for kind in (2, 11) for s in self.symbols(kind) if s[0] == name and s[3]]
        assert found, name + ' is not there'
        return found[0]

    def metadata(self):
        """the kernels' entries of the note of AMD's (NT_AMDGPU_METADATA)"""
        for s in self.sections:
            if s[1] != 7:
                continue
            at = s[4]
            while at < s[4] + s[5]:
                n, m, kind = struct.unpack_from('<III', self.bytes, at)
                content = at + 12 + (n + 3) // 4 * 4
                if kind == 32:
                    return {k['.name']: k for k in unpack(self.bytes, content)[0]['amdhsa.kernels']}
                at = content + (m + 3) // 4 * 4
        raise AssertionError('no metadata')


def unpack(b, at):
    """MessagePack, as far as the metadata has it"""
    c = b[at]
    at += 1
    if c < 0x80:
        return c, at
    if c >= 0xe0:
        return c - 256, at
    if c in (0xc0, 0xc2, 0xc3):
        return {0xc0: None, 0xc2: False, 0xc3: True}[c], at
    if 0xcc <= c <= 0xcf:
        size = 1 << (c - 0xcc)
        return int.from_bytes(b[at:at + size], 'big'), at + size
    if 0xd0 <= c <= 0xd3:
        size = 1 << (c - 0xd0)
        return int.from_bytes(b[at:at + size], 'big', signed=True), at + size
    kind, n = ('str', c & 31) if 0xa0 <= c < 0xc0 else ('array', c & 15) if c >= 0x90 else ('map', c & 15)
    if c in (0xd9, 0xda, 0xdb, 0xdc, 0xdd, 0xde, 0xdf):
        kind = 'str' if c < 0xdc else 'array' if c < 0xde else 'map'
        size = {0xd9: 1, 0xda: 2, 0xdb: 4, 0xdc: 2, 0xdd: 4, 0xde: 2, 0xdf: 4}[c]
        n = int.from_bytes(b[at:at + size], 'big')
        at += size
    if kind == 'str':
        return b[at:at + n].decode(), at + n
    values = []
    for _ in range(n if kind == 'array' else 2 * n):
        value, at = unpack(b, at)
        values.append(value)
    return (values if kind == 'array' else dict(zip(values[::2], values[1::2]))), at


def same_code(what, one, other):
    """The number of places in which a distance in the code object differs: what follows s_add_u32 or s_addc_u32 as a constant."""
    assert len(one) == len(other), '%s has %d and %d bytes' % (what, len(one), len(other))
    a, b = (struct.unpack('<%dI' % (len(c) // 4), c) for c in (one, other))
    moved = 0
    for i, (x, y) in enumerate(zip(a, b)):
        if x != y:
            assert i and a[i - 1] == b[i - 1] and a[i - 1] & 0xfd80ff00 == 0x8000ff00, '%s differs at %d: %08x %08x' % (what, 4 * i, x, y)
            moved += 1
    return moved


def same(whole, one, kernel):
    whole, one = Elf(whole), Elf(one)
    code = one.content(one.find(kernel))
    assert len(code) > 8, '%s is empty' % kernel
    moved = same_code(kernel, whole.content(whole.find(kernel)), code)
    for s in one.symbols(2):  # functions that are called, and nobody else's
        if s[1] == 2 and s[2] == 0:
            moved += same_code(s[0], whole.content(whole.find(s[0])), one.content(s))
    a, b = (bytearray(e.content(e.find(kernel + '.kd'))) for e in (whole, one))
    a[16:24] = b[16:24] = bytes(8)  # where the code is, from here
    assert a == b, 'the descriptors differ: %s %s' % (a.hex(), b.hex())
    a, b = whole.metadata()[kernel], one.metadata()[kernel]
    assert a == b, 'the metadata differ: %s %s' % (a, b)
    print(moved)


def fatbin(entry, file):
    e = Elf(entry)
    section = e.section('.hip_fatbin')
    assert section[4] % 4096 == 0, 'the fat binary is not aligned'
    open(file, 'wb').write(e.bytes[section[4]:section[4] + section[5]])


def code(bundle, arch, file):
    b = open(bundle, 'rb').read()
    assert b[:24] == b'__CLANG_OFFLOAD_BUNDLE__', bundle
    n, = struct.unpack_from('<Q', b, 24)
    at = 32
    for _ in range(n):
        offset, size, length = struct.unpack_from('<QQQ', b, at)
        if b[at + 24:at + 24 + length].decode().endswith('--' + arch):
            open(file, 'wb').write(b[offset:offset + size])
            return
        at += 24 + length
    raise AssertionError('no code for ' + arch)


try:
    globals()[sys.argv[1]](*sys.argv[2:])
except AssertionError as e:
    sys.exit('kernel_entry.py %s: %s' % (' '.join(sys.argv[1:]), e))
