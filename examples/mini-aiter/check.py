#!/usr/bin/env python3
"""Calls every variant of a mini-aiter build and checks its numbers: check.py LIBDIR [options]

Each call is compared with a plain implementation of attention in Python doubles, and its kernel names with those that
the generator lists. With --reference the outputs must also be the other build's, bit for bit. One line per variant;
exit status 1 if any differs. MINI_AITER_SMALL=1, or --small, for a build made with it.
"""
import argparse
import ctypes
import fnmatch
import functools
import hashlib
import math
import os
import random
import struct
import sys
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "3rdparty/composable_kernel/example/ck_tile/01_fmha"))
import generate  # noqa: E402

FLOATS = ctypes.POINTER(ctypes.c_float)


# ---- the C API (csrc/include/mini_mha.h) ----------------------------------------------------------------------------


class Problem(ctypes.Structure):
    _fields_ = [
        ("dtype", ctypes.c_char_p),
        *[(n, ctypes.c_int) for n in ("batch", "nhead_q", "nhead_k", "seqlen_q", "seqlen_k", "hdim")],
        ("scale", ctypes.c_float),
        *[(n, ctypes.c_int) for n in ("mask", "num_splits", "deterministic")],
        ("alibi_slopes", FLOATS),
        ("names", ctypes.c_char_p),
        ("names_size", ctypes.c_size_t),
    ]


def load(directory, name):
    path = os.path.join(os.path.abspath(directory), name)
    if not os.path.exists(path):
        return None
    lib = ctypes.CDLL(path)
    lib.mini_mha_last_error.restype = ctypes.c_char_p
    functions = {"libmha_fwd.so": ("fwd", "fwd_splitkv"), "libmha_bwd.so": ("bwd", "bwd_launcher")}[name]
    for f in functions:
        getattr(lib, f"mini_mha_{f}").restype = ctypes.c_float
    if name == "libmha_bwd.so":
        lib.mini_mha_bwd_workspace_size.restype = ctypes.c_size_t
    return lib


def c_floats(values):
    return (ctypes.c_float * len(values))(*values)


# ---- numbers --------------------------------------------------------------------------------------------------------


def to_f32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def to_bf16(x, rounding):
    """As CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT: 0, 3 to nearest even; 4 to nearest away; 1, 2 truncate."""
    u = struct.unpack("I", struct.pack("f", x))[0]
    u += {0: 0x7FFF + ((u >> 16) & 1), 3: 0x7FFF + ((u >> 16) & 1), 4: 0x8000}.get(rounding, 0)
    return struct.unpack("f", struct.pack("I", u & 0xFFFF0000))[0]


class Case:
    """Seeded tensors of one problem, as lists of rows by (batch, head, row), and what attention makes of them."""

    def __init__(self, dtype, d, bias, mask, rounding, heads_k):
        rng = random.Random(zlib.crc32(f"{dtype} {d} {bias} {mask} {heads_k}".encode()))
        self.dtype, self.hdim, self.bias, self.mask, self.rounding = dtype, d, bias, mask, rounding
        self.batch, self.heads, self.heads_k = 2, 2, heads_k
        self.sq, self.sk = rng.randint(5, 12), rng.randint(11, 21)  # at least two blocks of keys
        self.mask_type = 0 if mask == "nmask" else rng.choice((1, 2))
        self.scale = to_f32(1 / math.sqrt(d))
        self.slopes = [to_f32(2.0 ** -(h + 1)) for h in range(self.heads)] if bias == "alibi" else None
        self.q = self.tensor(rng, self.heads, self.sq)
        self.k = self.tensor(rng, heads_k, self.sk)
        self.v = self.tensor(rng, heads_k, self.sk)
        self.do = self.tensor(rng, self.heads, self.sq)
        self.forward()

    def round(self, x):
        return to_bf16(x, self.rounding) if self.dtype == "bf16" else to_f32(x)

    def tensor(self, rng, heads, rows):
        return [
            [[[self.round(rng.uniform(-1, 1)) for _ in range(self.hdim)] for _ in range(rows)] for _ in range(heads)]
            for _ in range(self.batch)
        ]

    def probabilities(self, b, h, i):
        """(the softmax over keys of one query row, its log-sum-exp); all zero and -inf where all is masked."""
        q, scores = self.q[b][h][i], []
        for j, k in enumerate(self.k[b][h * self.heads_k // self.heads]):
            s = self.scale * sum(x * y for x, y in zip(q, k))
            if self.slopes:
                s -= self.slopes[h] * abs(i + self.sk - self.sq - j)
            last = i + (self.sk - self.sq if self.mask_type == 2 else 0)
            scores.append(-math.inf if self.mask_type and j > last else s)
        top = max(scores)
        if top == -math.inf:
            return [0.0] * self.sk, -math.inf
        weights = [math.exp(s - top) for s in scores]
        total = sum(weights)
        return [w / total for w in weights], top + math.log(total)

    def forward(self):
        self.p, self.out, self.lse = {}, [], []
        for b in range(self.batch):
            for h in range(self.heads):
                v = self.v[b][h * self.heads_k // self.heads]
                for i in range(self.sq):
                    p, lse = self.probabilities(b, h, i)
                    self.p[b, h, i] = p
                    self.lse.append(lse)
                    self.out.append([sum(w * row[d] for w, row in zip(p, v)) for d in range(self.hdim)])

    @functools.lru_cache()
    def backward(self):
        """(out as the kernel gets it, dq, dk, dv), each a list of rows."""
        out = [[self.round(x) for x in row] for row in self.out]
        dq, dk, dv = [], [], []
        for b in range(self.batch):
            for h in range(self.heads):
                q, k, v, do = self.q[b][h], self.k[b][h], self.v[b][h], self.do[b][h]
                o = out[(b * self.heads + h) * self.sq :]
                delta = [sum(x * y for x, y in zip(o[i], do[i])) for i in range(self.sq)]
                ds = [
                    [
                        self.p[b, h, i][j] * (sum(x * y for x, y in zip(do[i], v[j])) - delta[i]) * self.scale
                        for j in range(self.sk)
                    ]
                    for i in range(self.sq)
                ]
                rows, keys, columns = range(self.sq), range(self.sk), range(self.hdim)
                dq += [[sum(ds[i][j] * k[j][d] for j in keys) for d in columns] for i in rows]
                dk += [[sum(ds[i][j] * q[i][d] for i in rows) for d in columns] for j in keys]
                dv += [[sum(self.p[b, h, i][j] * do[i][d] for i in rows) for d in columns] for j in keys]
        return out, dq, dk, dv

    def problem(self, names=None, num_splits=0, deterministic=0):
        slopes = ctypes.cast(c_floats(self.slopes), FLOATS) if self.slopes else None
        return Problem(
            self.dtype.encode(), self.batch, self.heads, self.heads_k, self.sq, self.sk, self.hdim, self.scale,
            self.mask_type, num_splits, deterministic, slopes,
            ctypes.cast(names, ctypes.c_char_p) if names else None, len(names) if names else 0,
        )  # fmt: skip


case_for = functools.lru_cache(None)(Case)


def flat(t):
    return [x for part in t for x in flat(part)] if isinstance(t[0], list) else t


# ---- variants -------------------------------------------------------------------------------------------------------


class Failure(Exception):
    pass


class Variant:
    """name, the kernel names it must print, and call(lib) -> [(what, outputs as c_floats, expected values)]."""

    def __init__(self, library, name, kernels, call):
        self.library, self.name, self.kernels, self.call = library, name, kernels, call


def finish(lib, function, time, names, kernels):
    if time == -1:
        raise Failure(f"{function}: no kernel matches")
    if not time >= 0:
        raise Failure(f"{function} returned {time}: {lib.mini_mha_last_error().decode()}")
    if names.value.decode() != kernels:
        raise Failure(f"{function} ran {names.value.decode()!r}, expected {kernels!r}")


def call_fwd(v, kernels, function, num_splits, lib):
    case = case_for(v["dtype"], v["d"], v["bias"], v["mask"], lib.mini_mha_bf16_rounding(), 1)
    names = ctypes.create_string_buffer(1024)
    problem = case.problem(names, num_splits=num_splits)
    out = c_floats([math.nan] * len(flat(case.out)))
    lse = c_floats([math.nan] * len(case.lse)) if v["lse"] == "lse" else None
    inputs = [c_floats(flat(t)) for t in (case.q, case.k, case.v)]
    time = getattr(lib, function)(ctypes.byref(problem), *inputs, out, lse)
    finish(lib, function, time, names, kernels)
    results = [("out", out, flat(case.out), v["dtype"])]
    return results + ([("lse", lse, case.lse, "fp32")] if lse else [])


def call_bwd(v, kernels, function, lib):
    if v["arch"]:
        os.environ["MINI_AITER_ARCH"] = {"gfx9": "gfx90a", "gfx11": "gfx1100"}[v["arch"]]
    case = case_for(v["dtype"], v["d"], v["bias"], v["mask"], lib.mini_mha_bf16_rounding(), 2)
    expected_out, *expected = case.backward()
    names = ctypes.create_string_buffer(1024)
    problem = case.problem(names, deterministic=int(v["det"] == "deterministic"))
    inputs = [c_floats(flat(t)) for t in (case.q, case.k, case.v, expected_out, case.do, case.lse)]
    outputs = [c_floats([math.nan] * len(flat(t))) for t in expected]
    time = getattr(lib, function)(ctypes.byref(problem), *inputs, *outputs)
    finish(lib, function, time, names, kernels)
    if function == "mini_mha_bwd_launcher":
        check_workspace(lib, problem, case, v)
    return [(n, o, flat(e), v["dtype"]) for n, o, e in zip(("dq", "dk", "dv"), outputs, expected)]


def check_workspace(lib, problem, case, v):
    splits = -(-case.sk // generate.BWD_TILES[v["d"]][1]) if v["det"] == "deterministic" else 1
    expected = 16 + 4 * splits * case.batch * case.heads * case.sq * case.hdim
    if v["pipeline"] == "DirectDq":
        expected = 0
    size = lib.mini_mha_bwd_workspace_size(ctypes.byref(problem))
    if size != expected:
        raise Failure(f"mini_mha_bwd_workspace_size is {size} bytes, expected {expected}")


def call_without_kernel(function, lib):
    """A problem that no kernel is made for must return -1 and leave the outputs alone."""
    for dtype, hdim in ((b"fp32", 256), (b"fp16", 64), (b"fp32", 12)):
        x, out = c_floats([1.0] * 512), c_floats([7.0] * 512)
        problem = Problem(dtype, 1, 1, 1, 1, 1, hdim, 1.0, 0, 1, 0, None, None, 0)
        inputs, outputs = (3, 2) if "fwd" in function else (6, 3)
        time = getattr(lib, function)(ctypes.byref(problem), *[x] * inputs, *[out] * outputs)
        if time != -1 or any(y != 7.0 for y in out):
            raise Failure(f"{function} with {dtype.decode()}, head dimension {hdim} returned {time}; expected -1")
    return []


def variants(small):
    def make(library, name, kernels, call, *args):
        return Variant(library, name, kernels, functools.partial(call, *args))

    g = generate
    for v in g.fwd_variants(small):
        kernels = f", {g.fwd_name(v)}"
        name = f"fwd_d{v['d']}_{v['dtype']}_{v['bias']}_{v['mask']}_{v['lse']}"
        yield make("libmha_fwd.so", name, kernels, call_fwd, v, kernels, "mini_mha_fwd", 0)
    for v in g.splitkv_variants(small):
        for lse in ("lse", "nlse"):
            v = dict(v, bias="nbias", lse=lse)
            kernels = f", {g.splitkv_name(v)}, {g.combine_name(v)}"
            for splits in (3, 8):
                name = f"fwd_splitkv_d{v['d']}_{v['dtype']}_{v['mask']}_{lse}_splits{splits}"
                yield make("libmha_fwd.so", name, kernels, call_fwd, v, kernels, "mini_mha_fwd_splitkv", splits)
    yield make("libmha_fwd.so", "fwd_without_kernel", "", call_without_kernel, "mini_mha_fwd")
    yield make("libmha_fwd.so", "fwd_splitkv_without_kernel", "", call_without_kernel, "mini_mha_fwd_splitkv")

    for v in g.bwd_variants(small) + g.launcher_variants(small):
        steps = [g.dot_do_o_name(v), g.convert_dq_name(v), g.bwd_name(v)]
        if v["pipeline"] == "DirectDq":
            del steps[1]
        kernels = ", " + "@".join(steps)
        suffix = f"d{v['d']}_{v['dtype']}_{v['bias']}_{v['mask']}_{v['det']}"
        if v["arch"]:
            name, function = f"bwd_launcher_{v['arch']}_{suffix}", "mini_mha_bwd_launcher"
        else:
            name, function = f"bwd_{suffix}", "mini_mha_bwd"
        yield make("libmha_bwd.so", name, kernels, call_bwd, v, kernels, function)
    yield make("libmha_bwd.so", "bwd_without_kernel", "", call_without_kernel, "mini_mha_bwd")
    yield make("libmha_bwd.so", "bwd_launcher_without_kernel", "", call_without_kernel, "mini_mha_bwd_launcher")


# ---- checking -------------------------------------------------------------------------------------------------------


def worst_error(results):
    """The largest error in units of what is tolerated: 1 is the limit."""
    worst = 0.0
    for what, got, expected, dtype in results:
        relative = 2.0**-7 if dtype == "bf16" else 2e-5
        for i, (x, y) in enumerate(zip(got, expected)):
            error = 0.0 if x == y else abs(x - y) / (2e-5 + relative * abs(y))
            if not error <= 1:
                raise Failure(f"{what}[{i}] is {x}, expected {y}")
            worst = max(worst, error)
    return worst


def check(variant, libs, references):
    """Returns the outputs' bytes, or raises Failure."""
    results = variant.call(libs[variant.library])
    worst = worst_error(results)
    data = b"".join(bytes(got) for _, got, *_ in results)
    if references:
        other = variant.call(references[variant.library])
        if data != b"".join(bytes(got) for _, got, *_ in other):
            raise Failure("outputs are not the reference library's, bit for bit")
    return data, worst


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("libdir", nargs="?", default="op_tests/cpp/mha", help="holds libmha_fwd.so, libmha_bwd.so, or both")
    parser.add_argument("--variants", default="all", help="all, or the first N")
    parser.add_argument("--only", metavar="GLOB", action="append", help="only variants whose name matches; repeatable")
    parser.add_argument("--reference", metavar="LIBDIR", help="another build, whose outputs must be the same bits")
    parser.add_argument("--digest", action="store_true", help="print a hash of each variant's outputs, and of all")
    parser.add_argument("--list", action="store_true", help="print the names of the variants and stop")
    parser.add_argument("--small", action="store_true", default=generate.is_small(0))
    args = parser.parse_args()

    todo = [v for v in variants(args.small) if not args.only or any(fnmatch.fnmatch(v.name, g) for g in args.only)]
    names = ("libmha_fwd.so", "libmha_bwd.so")
    if not args.list:
        libs = {name: load(args.libdir, name) for name in names}
        for name in (n for n in names if not libs[n]):
            print(f"{name} is not in {args.libdir}: its variants are left out")
        todo = [v for v in todo if libs[v.library]]
    if args.variants != "all":
        todo = todo[: int(args.variants)]
    if args.list:
        print("\n".join(v.name for v in todo))
        return 0
    if not todo:
        print("no variant to check")
        return 1
    references = {}
    for name in {v.library for v in todo} if args.reference else ():
        references[name] = load(args.reference, name)
        if not references[name]:
            raise SystemExit(f"{name} is not in {args.reference}")

    failed, total = 0, hashlib.sha256()
    width = max(len(v.name) for v in todo)
    for v in todo:
        try:
            data, worst = check(v, libs, references)
            total.update(data)
            digest = f"  {hashlib.sha256(data).hexdigest()[:16]}" if args.digest else ""
            print(f"{v.name:{width}}  ok  {worst:4.0%} of tolerance{digest}", flush=True)
        except Failure as e:
            failed += 1
            print(f"{v.name:{width}}  FAILED  {e}", flush=True)
    digest = f", digest {total.hexdigest()}" if args.digest else ""
    same = f", the same bits as {args.reference}" if args.reference and not failed else ""
    print(f"{len(todo) - failed} of {len(todo)} variants ok{same}{digest}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
