"""call.py LIBRARY - call every combination of the search library once, and check what it computes."""
import ctypes
import sys

TYPES = {"f32": ctypes.c_float, "f64": ctypes.c_double, "i8": ctypes.c_int8}
ROWS, DIM = 40, 8


class Problem(ctypes.Structure):
    _fields_ = [("query", ctypes.c_void_p), ("data", ctypes.c_void_p), ("result", ctypes.POINTER(ctypes.c_float)),
                ("allowed", ctypes.POINTER(ctypes.c_uint32)), ("rows", ctypes.c_int), ("dim", ctypes.c_int)]


def expected(query, data, distance, keep):
    rows = [data[i * DIM:(i + 1) * DIM] for i in range(ROWS)]
    if distance == "euclidean":
        return [sum((a - b) ** 2 for a, b in zip(query, row)) if keep(i) else -1 for i, row in enumerate(rows)]
    return [sum(a * b for a, b in zip(query, row)) if keep(i) else -1 for i, row in enumerate(rows)]


def main():
    library = ctypes.CDLL(sys.argv[1])
    library.search_run.restype = ctypes.c_char_p
    query = [k - 3 for k in range(DIM)]
    data = [(7 * k) % 11 - 5 for k in range(ROWS * DIM)]
    allowed = (ctypes.c_uint32 * 2)(0x5a5a5a5a, 0x13)
    called = set()
    for name, ctype in TYPES.items():
        for distance in ("euclidean", "inner_product"):
            for which in ("no_filter", "bitset_filter"):
                result = (ctypes.c_float * ROWS)()
                problem = Problem(ctypes.cast((ctype * DIM)(*query), ctypes.c_void_p),
                                  ctypes.cast((ctype * len(data))(*data), ctypes.c_void_p), result, allowed, ROWS, DIM)
                where = library.search_run(name.encode(), distance.encode(), which.encode(), ctypes.byref(problem))
                keep = (lambda i: True) if which == "no_filter" else (lambda i: allowed[i // 32] >> i % 32 & 1)
                if list(result) != expected(query, data, distance, keep):
                    sys.exit(f"{name} {distance} {which}: wrong result on the {where.decode()}")
                called.add(where.decode())
    print(f"12 combinations called on the {' and '.join(sorted(called))}: every result is right")


main()
