#!/usr/bin/env python3
"""Writes functions of random signatures, and a program that calls each by its stub and directly.

    signatures.py SEED COUNT DIRECTORY

DIRECTORY/types.h has the types, DIRECTORY/functions.h the functions. A blob includes it in namespace kernels, the program (calls.cpp) in
namespace direct as well. A result is made of all bytes of value of all arguments, so whatever a call loses is seen in it.
"""
import random
import sys

SCALARS = ["char", "short", "int", "unsigned", "long", "float", "double", "long double", "__int128", "const char *", "v2", "v4", "v16"]
HEAD = """#pragma once
#include <cstdarg>
#include <cstdint>
#include <cstring>
#include <string>
typedef float v2 __attribute__((vector_size(8)));
typedef float v4 __attribute__((vector_size(16)));
typedef unsigned char v16 __attribute__((vector_size(16)));
inline void add(uint64_t &h, uint64_t x) { h = (h ^ x) * 0x100000001b3 + (h >> 29); }
template <class T> struct value { // a scalar
  static T make(uint64_t s) { return (T)(int64_t)(s % 100); }
  static void hash(uint64_t &h, T x) { add(h, (uint64_t)(int64_t)x); }
};
template <> struct value<const char *> {
  static const char *make(uint64_t s) { return (const char *)(uintptr_t)(s * 1000003); }
  static void hash(uint64_t &h, const char *x) { add(h, (uintptr_t)x); }
};
template <class V, int N> struct vector {
  static V make(uint64_t s) { V v; for (int i = 0; i < N; i++) v[i] = (s >> i & 31) + i; return v; }
  static void hash(uint64_t &h, V v) { for (int i = 0; i < N; i++) add(h, (uint64_t)v[i]); }
};
template <> struct value<v2> : vector<v2, 2> {};
template <> struct value<v4> : vector<v4, 4> {};
template <> struct value<v16> : vector<v16, 16> {};
template <> struct value<std::string> {
  static std::string make(uint64_t s) { return std::string(s % 60, 'a' + s % 26); }
  static void hash(uint64_t &h, const std::string &x) { for (char c : x) add(h, c); }
};
"""


def struct(r, n):
    """a homogeneous aggregate, or a mixture: in registers, by reference, with a constructor"""
    kind = r.choice(["same", "small", "any", "copied"])
    if kind == "same":
        fields = [r.choice(["float", "double", "v4", "long double", "v2"])] * r.randint(1, 5)
    elif kind == "small":
        fields = [r.choice(["char", "short", "int", "float"]) for _ in range(r.randint(1, 4))]
    else:
        fields = [r.choice(SCALARS) for _ in range(r.randint(1, 7))]
    body = "".join(f" {t} m{i};" for i, t in enumerate(fields))
    if kind == "copied":
        body += f" s{n}() {{}} s{n}(const s{n} &o) {{" + "".join(f" m{i} = o.m{i};" for i in range(len(fields))) + " }"
    make = "".join(f" x.m{i} = value<{t}>::make(s + {i + 1} * 7);" for i, t in enumerate(fields))
    hashes = "".join(f" value<{t}>::hash(h, x.m{i});" for i, t in enumerate(fields))
    return (f"struct s{n} {{{body} }};\ntemplate <> struct value<s{n}> {{\n  static s{n} make(uint64_t s) {{ s{n} x;{make} return x; }}\n"
            f"  static void hash(uint64_t &h, const s{n} &x) {{{hashes} }}\n}};\n")


def main():
    seed, count, where = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    r = random.Random(seed)
    structs = 40
    with open(where + "/types.h", "w") as f:
        f.write(HEAD + "".join(struct(r, n) for n in range(structs)))
    types = SCALARS * 3 + [f"s{n}" for n in range(structs)] + ["std::string"]
    functions, calls = [], []
    for i in range(count):
        result = r.choice(types)
        params = [r.choice(types) for _ in range(r.choice([0, 1, 3, 6, 9, 14]))]
        more = [r.choice(["int", "long", "double", "long double", "s0", "s1", "v4"]) for _ in range(r.randint(1, 12))] if i % 4 == 0 else []
        # what is copied by a constructor cannot be a variable argument everywhere
        more = [t if t[0] != "s" else "double" for t in more]
        named = ["int"] * bool(more) + params
        text = ", ".join(f"{t} {chr(38) if t == 'std::string' and k % 2 else ''}a{k}".replace("std::string &", "const std::string &") for k, t in enumerate(named))
        body = "".join(f"  value<{t}>::hash(h, a{k});\n" for k, t in enumerate(named))
        if more:
            body += f"  va_list ap;\n  va_start(ap, a{len(named) - 1});\n"
            body += "".join(f"  value<{t}>::hash(h, va_arg(ap, {t}));\n" for t in more) + "  va_end(ap);\n"
            text += ", ..."
        if more and named[-1] in ("char", "short", "float", "std::string") or more and named[-1][0] == "s":
            functions.append(f"{result} f{i}() {{ return value<{result}>::make({i}); }}\n")
            named, more = [], []
        else:
            functions.append(f"{result} f{i}({text}) {{\n  uint64_t h = {i};\n{body}  return value<{result}>::make(h);\n}}\n")
        values = [r.randrange(1 << 40) for _ in named + more]
        given = ", ".join(f"value<{t}>::make({v}u)" for t, v in zip(named + more, values))
        calls.append(f"  same<{result}>({i}, kernels::f{i}({given}), direct::f{i}({given}));\n")
    with open(where + "/functions.h", "w") as f:
        f.write("".join(functions))
    with open(where + "/declared.h", "w") as f:
        f.write("".join(t[: t.index("{")].rstrip() + ";\n" for t in functions))
    with open(where + "/calls.cpp", "w") as f:
        f.write('#include "types.h"\n#include <cstdio>\nnamespace kernels {\n#include "declared.h"\n}\nnamespace direct {\n#include "functions.h"\n}\n'
                "static int wrong;\ntemplate <class T> static void same(int i, const T &a, const T &b) {\n  uint64_t x = 0, y = 0;\n"
                '  value<T>::hash(x, a);\n  value<T>::hash(y, b);\n  if (x != y) printf("f%d: another result\\n", i), wrong = 1;\n}\n'
                "int main() {\n  for (int round = 0; round < 2; round++) {\n" + "".join(calls) + '  }\n  if (!wrong) puts("ok");\n  return wrong;\n}\n')


main()
