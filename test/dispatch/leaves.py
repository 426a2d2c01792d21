"""Branches of generated dispatchers: what a row does when it is chosen."""

from atoms import DTYPES

DIMS = [32, 64, 128, 256]


def fwd_trait(rng, n):
    """N makes it differ from that of other rows"""
    return (
        f"fwd_traits_<{rng.choice(DIMS)}, {rng.choice(DTYPES)}, {rng.choice(['true', 'false'])}, {n * 4 + 4}, "
        f"tile::pipe::{rng.choice(['QRKSVS', 'QRKSVS_ASYNC'])}, tile::mask<{rng.choice(['true', 'false'])}>, "
        f"bias_enum::no_bias, {rng.choice(['true', 'false'])}, {rng.choice(['true', 'false'])}>"
    )


def step_trait(rng, step, n):
    return (
        f"{step}_traits_<{rng.choice(DIMS)}, {rng.choice(DTYPES)}, /*M0=*/{n * 4 + 4}, {rng.choice(['true', 'false'])}>"
    )


def three(rng, n, last=None):
    return [
        f"using one_trait_ = {step_trait(rng, 'one', n)};",
        f"using two_trait_ = {step_trait(rng, 'two', n)};",
        f"using three_trait_ = {last or step_trait(rng, 'three', n)};",
    ]


def direct(rng, n, d):
    return [f"using trait_ = {fwd_trait(rng, n)};", "return fwd_<trait_>(s, a);"]


def assign(rng, n, d):
    return [f"using trait_ = {fwd_trait(rng, n)};", "r = fwd_<trait_>(s, a);", "return r;"]


def helper(rng, n, d):
    return three(rng, n) + [f"r = {d.name}_h_<one_trait_, two_trait_, three_trait_>(s, a);", "return r;"]


def plain_helper(rng, n, d):
    return three(rng, n) + [f"return {d.name}_h_<one_trait_, two_trait_, three_trait_>(s, a);"]


def lse(rng, n, d):
    """the form of CK's split-kv"""
    t = rng.choice(DTYPES[:3])
    two = [f"using traits2_ = {step_trait(rng, 'two', n)};", "", f"return {d.name}_h2_<traits_, traits2_>(s, a);"]
    indented = ["    " + line if line else "" for line in two]
    return [
        f"using traits_ = {step_trait(rng, 'one', n)};",
        "",
        "// get combine kernel tile sizes",
        f"using OaccDataType = typename type_config<{t}>::acc;",
        "constexpr int kM0 = tile::tile_sizes<OaccDataType, /*F_bn1=*/32>::kM0;",
        "",
        "static_assert(64 % kM0 == 0);",
        "static_assert(32 % 32 == 0);",
        "",
        "if (t.has_lse) {",
        f"    if constexpr (std::is_same_v<{t}, fp8>) {{",
        "        return -1;",
        "    } else {",
        *["    " + line for line in indented],
        "    }",
        "} else {",
        *indented,
        "}",
    ]


def run(rng, n, d):
    return three(rng, n) + [
        f"run = [](args a, const stream& s) {{ return {d.name}_h_<one_trait_, two_trait_, three_trait_>" "(s, a); };",
        "return;",
    ]


def init(rng, n, d):
    last = "void" if d.may_be_void and rng.random() < 0.3 else None
    return three(rng, n, last) + [
        f"this->init<one_trait_, two_trait_, three_trait_, tile::gfx{rng.choice([9, 11])}>(t);",
        "return;",
    ]


def alias_of_alias(rng, n, d):
    return [
        f"using inner = {fwd_trait(rng, n)};",
        "using other = wrapped_<inner>;",
        "using trait_ = typename other::type;",
        "return fwd_<trait_>(s, a);",
    ]


CK_LEAVES = [direct, assign, helper, plain_helper, lse]
LAUNCHER_LEAVES = [run, init]


# Known to differ behind an erased helper, which has other lines; forms.py shows it. Empty it when that is mended.
KNOWN = {"line"}


def wild_statements(rng, n):
    """Branches that are not, or only nearly, of CK's form. They return a value, so none is for a constructor."""
    f, g, k = fwd_trait(rng, n), fwd_trait(rng, n + 1), rng.randrange(9)
    use = f"using trait_ = {f};"
    return {
        "falls out": [use, "r = fwd_<trait_>(s, a);"],
        "literal": [use, f"return fwd_<trait_>(s, a) + {k};"],
        "constant": [use, "constexpr int kM0 = trait_::kM0;", "return fwd_<trait_>(s, a) + kM0;"],
        "literal constant": [
            use,
            f"constexpr int kM0 = {k};",
            "static_assert(kM0 < 10);",
            "return fwd_<trait_>(s, a) + kM0;",
        ],
        "member": [use, "return fwd_<trait_>(s, a) + trait_::kD;"],
        "type": [use, "return fwd_<trait_>(s, a) + sizeof(typename type_config<typename trait_::type>::acc);"],
        "two": [use, f"fwd_<{g}>(s, a);", "return fwd_<trait_>(s, a);"],
        "changes": [use, f"a.n = {k}; a.seqlen_q += trait_::kD;", "return fwd_<trait_>(s, a);"],
        "line": [use, "note(__LINE__);", "return fwd_<trait_>(s, a);"],
        "static": [use, "static int calls = 0; note(++calls);", "return fwd_<trait_>(s, a);"],
        "tick": [use, "tick();", "return fwd_<trait_>(s, a);"],
        "throw": [use, f"if (a.n > 3) throw {k};", "return fwd_<trait_>(s, a);"],
        "try": [
            use,
            'try { r = fwd_<trait_>(s, a); } catch (const std::exception& e) { note("caught"); r = 3; }',
            "return r;",
        ],
        "by reference": [use, "auto go = [&] { a.m++; return fwd_<trait_>(s, a); };", "return go();"],
        "by value": [use, "auto go = [=] { return fwd_<trait_>(s, a); };", "a.m = 77;", "return go();"],
        "binding": [use, "auto [first, second] = std::make_pair(a.n, fwd_<trait_>(s, a));", "return first + second;"],
        "pointer": [use, "auto f = &fwd_<trait_>;", "return f(s, a);"],
        "list": [f"return fwd_<{f}>(s, a);"],
        "cast": [use, "return static_cast<int>(fwd_<trait_>(s, a)) % 7;"],
        "shadow": [use, "args b = a; b.n = 3; { args& a = b; return fwd_<trait_>(s, a); }"],
        "negated": [use, "return -fwd_<trait_>(s, a);"],
        "decltype": [use, "decltype(fwd_<trait_>(s, a)) v = fwd_<trait_>(s, a);", "return v;"],
        "unwrapped": [f"using trait_ = unwrap_<{f}>;", "return fwd_<trait_>(s, a);"],
        "greater": [
            f"using trait_ = one_traits_<(3 > {k}), fp16, ({k} << 2), sizeof(int) == 4>;",
            "return all_<trait_>(s, a);",
        ],
        "character": [f"using trait_ = one_traits_<'>', fp16, {n}, ('(' < 'a')>;", "return all_<trait_>(s, a);"],
        "comment": [
            use + " // using trait_ = fwd_traits_<>; }",
            "/* } else if (t.has_lse) { */ return fwd_<trait_>(s, a);",
        ],
        "other function": [use, f"return {rng.choice(['fwd_', 'all_'])}<trait_>(s, a);"],
        "other arguments": [use, f"return fwd_<trait_>({rng.choice(['s', 'stream{9, 0}'])}, a);"],
        "twice": [use, "r = fwd_<trait_>(s, a);", "return r + fwd_<trait_>(s, a);"],
        "inner if": [use, f"if (a.m > {k}) {{ return fwd_<trait_>(s, a); }}", f"return all_<{g}>(s, a);"],
        "inner loop": [use, f"for (int i = 0; i < {k % 3}; ++i) r += fwd_<trait_>(s, a);", "return r;"],
        "local type": [
            use,
            "struct local { float go(const stream& s, args a) { return fwd_<trait_>(s, a); } };",
            "return local{}.go(s, a);",
        ],
        "none": ["return -2;"],
        "empty": [],
    }
