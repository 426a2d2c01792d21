"""kernel_code.py KERNEL FILE - the instructions of KERNEL (mangled) in the code objects of AMD's that FILE has in it, as hexadecimal digits,
a line each: of a library, of an entry of the cache, or of a code object."""
import struct
import sys


def code(data, at, kernel):
    """Those in the code object at this offset."""
    table, entry, count = struct.unpack_from('<Q', data, at + 40)[0], *struct.unpack_from('<HH', data, at + 58)
    sections = [struct.unpack_from('<IIQQQQIIQQ', data, at + table + i * entry) for i in range(count)]
    for _, kind, _, _, offset, size, link, _, _, width in sections:
        if kind != 2:  # SHT_SYMTAB
            continue
        names = at + sections[link][4]
        for i in range(size // width):
            name, _, _, index, value, length = struct.unpack_from('<IBBHQQ', data, at + offset + i * width)
            end = data.index(b'\0', names + name)
            if data[names + name:end].decode() == kernel and index:
                start = at + value - sections[index][3] + sections[index][4]
                yield data[start:start + length].hex()


def main():
    kernel, data = sys.argv[1], open(sys.argv[2], 'rb').read()
    at = data.find(b'\x7fELF', 1) if data[18:20] != b'\xe0\0' else 0
    while at >= 0:
        if data[at + 18:at + 20] == b'\xe0\0':
            print('\n'.join(code(data, at, kernel)))
        at = data.find(b'\x7fELF', at + 4)


main()
