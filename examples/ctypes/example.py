#!/usr/bin/env python3
"""example.py LIBRARY - what a Python program can do with the kernels of libfamily.so (made by ./build)."""
import ctypes
import sys
from ctypes import POINTER, c_double, c_int, c_long

import ckjit

library = ckjit.Library(sys.argv[1])

print("its kernels:")
for kernel in sorted(library, key=lambda k: k.stem):
    print("  %-8s %-7s %s" % (kernel.stem, kernel.state, kernel.symbols[0][1]))

print("all compiled, with progress:")
library.compile(progress=lambda event: print("  %s" % event) if event.kind == "done" else None)
print("  states: %s" % ", ".join(library.states()))

print("called by its handle, and by the library itself:")
numbers = (c_double * 4)(3, 1, 4, 1)
largest = library["largest"].compile().function(c_double, POINTER(c_double), c_long)
family = ctypes.CDLL(library.path)
family.reduce.restype, family.reduce.argtypes = c_double, [c_int, POINTER(c_double), c_long]
print("  largest: %g, %g" % (largest(numbers, 4), family.reduce(1, numbers, 4)))

# As CuTe DSL's documentation shows for cute.compile: a constant of the kernel, and a cache of one's own for its values.
print("a custom cache:")
custom_cache = {}
for a in 1, 2:
    custom_cache[a] = library["add"].compile(fresh=True, flags="-DA=%d" % a).function(c_int, c_int)
print("  1 + 2 = %d" % custom_cache[1](2))
print("  2 + 2 = %d" % custom_cache[2](2))

print("an error:")
try:
    library["no_such_kernel"]
except ckjit.Error as error:
    print("  %s" % str(error).rsplit("/", 1)[-1])
