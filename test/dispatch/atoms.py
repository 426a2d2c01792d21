"""Conditions for generated dispatchers, and the values of arguments that make them true.

An atom is a conjunct as it stands between two &&. ck_axes has those of CK; wild_atoms those whose value or effect
depends on whether and how often they are evaluated, or that read as something they are not.
"""

from typing import NamedTuple


class Atom(NamedTuple):
    text: str
    sets: tuple = ()  # (field, value) so that it is true
    need: str = ""  # a name in LOCALS or MACROS that it uses


BOOLS = (
    "is_group_mode is_v_rowmajor has_logits_soft_cap has_lse has_dropout has_dbias is_store_randval "
    "is_deterministic skip"
).split()
MASKS = "no_mask top_left bottom_right".split()
BIASES = "no_bias elementwise alibi".split()
DTYPES = ["fp16", "bf16", "fp32", "fp8"]

# Declarations in front of the chain that conditions may use.
LOCALS = {
    "cus": [
        "[[maybe_unused]] const float min_cu_util_rate = 0.8;",
        "unsigned num_cus = 4;",
        "[[maybe_unused]] auto get_num_blocks = [&](unsigned kM0) { return a.batch * a.nhead * 8 / kM0; };",
    ],
    "noisy": ['auto noisy = [&](int k) { note("noisy"); return a.n + k; };'],
    "x": ["int x = 0;"],
    "changing": ["int seen = 0; auto ask = [&] { return ++seen; };"],
    "shadow": ["const int seqlen_k = a.seqlen_k % 3; int nhead = seqlen_k + 1; (void)nhead;"],
    "ref": ["int& n_ref = a.n;"],
    "vlocal": ["volatile int vlocal = a.n;"],
}
# Names that do not look like macros, defined in the header.
MACROS = {
    "is_ready": "#define is_ready (tick() % 3 != 0)",
    "fits": "#define fits(k) (tick(), (k) < 8)",
    "nhead": "#define nhead nhead + (tick() > 0)",
    "both": "#define both(x, y) x && y",
    "either": "#define either t.has_lse || t.skip",
}


def ck_axes(rng, only_traits=False):
    """Lists of alternatives; a row takes one of each list."""
    axes = [[Atom(f"(t.{b} == {v})", ((f"t_{b}", int(v == "true")),)) for v in ("true", "false")] for b in BOOLS]
    axes.append(
        [
            Atom("(t.mask_type == mask_enum::no_mask)", (("t_mask_type", 0),)),
            Atom("(t.mask_type != mask_enum::no_mask)", (("t_mask_type", 2),)),
        ]
    )
    axes.append([Atom(f"(t.bias_type == bias_enum::{b})", (("t_bias_type", i),)) for i, b in enumerate(BIASES)])
    axes.append([Atom("(true)"), Atom("(true /*a.hdim_q % 256 != 0*/)"), Atom("(true/*group mode*/)")])
    axes.append(
        [
            Atom(
                "(t.has_dropout == true && t.is_store_randval == true)",
                (("t_has_dropout", 1), ("t_is_store_randval", 1)),
            ),
            Atom("(t.has_dropout == false)", (("t_has_dropout", 0),)),
        ]
    )
    axes.append(
        [
            Atom("((t.plain == plain_some) == true)", (("t_plain", 1),)),
            Atom("(t.plain <= plain_some)"),
            Atom("(!t.skip)", (("t_skip", 0),)),
            Atom("t.skip", (("t_skip", 1),)),
        ]
    )
    for f in ("t.hdim_q", "t.hdim_v") if only_traits else ("a.seqlen_q", "a.hdim_q", "a.hdim_v"):
        c, field = rng.choice([8, 32]), f.replace(".", "_")
        axes.append([Atom(f"({f} % {c} == 0)", ((field, c),)), Atom(f"({f} % {c} != 0)", ((field, c + 1),))])
    if not only_traits:
        c = rng.choice([64, 128])
        axes.append(
            [
                Atom(f"(a.seqlen_k == 0 || a.seqlen_k % {c} != 0)", (("a_seqlen_k", c + 1),)),
                Atom(f"(a.seqlen_k != 0 && a.seqlen_k % {c} == 0)", (("a_seqlen_k", c),)),
            ]
        )
        axes.append(
            [
                Atom("((a.block_table_ptr != nullptr) == true)", (("a_block_table_ptr", 1),)),
                Atom("((a.block_table_ptr != nullptr) == false)", (("a_block_table_ptr", 0),)),
            ]
        )
        axes.append(
            [
                Atom(
                    "((get_num_blocks(64) < num_cus * min_cu_util_rate) && (true))",
                    (("a_batch", 2), ("a_nhead", 2)),
                    "cus",
                ),
                Atom("((true) && (true))"),
            ]
        )
    rng.shuffle(axes)
    return axes


def wild_atoms(rng):
    """Lists of atoms by what is odd about them; {c} is a constant."""
    c = rng.randrange(2, 9)
    x = (("a_n", c),)
    return {
        "effect": [
            Atom("(++g_counter > 0)"),
            Atom("(g_counter++ % 3 != 0)"),
            Atom(f"yes({c})"),
            Atom("(tick() % 4)"),
            Atom("(g_counter % 2 == 0)"),
            Atom("(tick(), t.has_lse)", (("t_has_lse", 1),)),
            Atom(f"(a.n == {c} || tick() > 2)", x),
            Atom(f"(a.n == {c} && yes(1))", x),
            Atom(f"(t.has_lse ? a.n < {c} : tick() != 0)"),
            Atom(f"!yes({c}) || a.n > {c}"),
        ],
        "macro": [
            Atom("is_ready", (), "is_ready"),
            Atom("(is_ready)", (), "is_ready"),
            Atom("fits(a.n)", (), "fits"),
            Atom("(a.nhead > 2)", (("a_nhead", 3),), "nhead"),
            Atom("both(t.has_lse, yes(2))", (), "both"),
            Atom("either", (("t_skip", 1),), "either"),
            Atom("!either", (), "either"),
        ],
        "class": [
            Atom(f"(t.tag == {c})", (("t_tag", c),)),
            Atom(f"!(t.tag == {c})"),
            Atom("(t.tag % 2 == 0)"),
            Atom("a.flag", (("a_flag", 1),)),
            Atom("(a.flag)", (("a_flag", 1),)),
            Atom("!a.flag"),
            Atom("(a.flag && yes(1))", (("a_flag", 1),)),
            Atom(f"(a.watch == {c})", (("a_watch", c),)),
            Atom("(a.watch < 5)"),
            Atom('(a.word.compare("fp16") == 0)', (("a_word", 0),)),
            Atom(f"(t.mood == {c})", (("t_mood", c),)),
            Atom(f"t.mood == {c}", (("t_mood", c),)),
        ],
        "volatile": [
            Atom("(a.vol == 2)", (("a_vol", 2),)),
            Atom("(g_volatile == 0)"),
            Atom("(g_volatile++ % 2 == 0)"),
            Atom("(g_atomic.load() >= 0)"),
            Atom("(g_atomic++ % 2 == 0)"),
            Atom("(++g_atomic > 1)"),
            Atom("(g_atomic < 100000)"),
            Atom(f"(vlocal < {c})", (), "vlocal"),
        ],
        "guard": [
            Atom("(a.p != nullptr && a.p->x > 3)", (("a_p", 1),)),
            Atom("(!a.p || a.p->x < 5)"),
            Atom("(a.n != 0 && a.m % a.n == 0)", (("a_n", 2), ("a_m", 4))),
            Atom("(a.idx >= 0 && a.idx < 4 && g_table[a.idx] == 1)", (("a_idx", 1),)),
            Atom("(a.p != nullptr) && (a.p->x > 3)", (("a_p", 1),)),
            Atom("a.p && a.p->x > 3", (("a_p", 1),)),
            Atom("(a.n != 0) && (a.m / a.n > 1)", (("a_n", 2), ("a_m", 4))),
            Atom("a.n > 0 && 64 % a.n == 0 && a.m > 64 / a.n", (("a_n", 32), ("a_m", 4))),
            Atom("(a.idx >= 0) && (a.idx < 4) && (g_table[a.idx] == 1)", (("a_idx", 1),)),
            Atom("(t.data_type.size() > 3) && (t.data_type.at(3) == '6')", (("t_data_type", 0),)),
            Atom('(t.data_type.length() == 4) && (t.data_type.compare(4, 1, "") == 0)', (("t_data_type", 0),)),
        ],
        "lambda": [
            Atom(f"(noisy({c}) > 4)", (("a_n", 4),), "noisy"),
            Atom(f"noisy(1) < {c}", (), "noisy"),
            Atom("(ask() % 3 != 0)", (), "changing"),
            Atom("(seen < 4)", (), "changing"),
            Atom('[&] { note("in"); return a.n > 3; }()'),
            Atom("([&] { return a.n++; }() < 6)"),
        ],
        "assign": [
            Atom(f"((x = a.n) > {c})", (("a_n", c + 1),), "x"),
            Atom("((x += 1) < 5)", (), "x"),
            Atom("(x < 3)", (), "x"),
            Atom("(a.n -= 1)"),
            Atom("(a.m = 4)"),
            Atom("((n_ref = a.m) > 3)", (), "ref"),
            Atom("(t.has_lse = true)"),
            Atom("(a.n < 5)"),
        ],
        "throw": [
            Atom(f"throws_at(a.n, {c})"),
            Atom(f"(throws_at(a.m, {c}) == true)"),
            Atom("(t.data_type.at(3) == '6')", (("t_data_type", 0),)),
            Atom('(t.data_type.compare(4, 1, "") == 0)', (("t_data_type", 0),)),
            Atom(f"(a.n != {c} ? true : throw 5)"),
        ],
        "string": [
            Atom('(t.data_type == "fp16")', (("t_data_type", 0),)),
            Atom("(!t.data_type.empty())"),
            Atom("(t.data_type[0] == 'f')"),
            Atom('(t.data_type.compare(0, 2, "fp") == 0)'),
            Atom('(t.data_type != "a && b || (")'),
            Atom('t.data_type.compare("fp16") == 0', (("t_data_type", 0),)),
            Atom('(t.data_type < std::string("fp2"))'),
        ],
        "precedence": [
            Atom("(t.has_lse) && t.skip || a.n > 4"),
            Atom("t.has_lse || (t.skip)"),
            Atom("(a.n > 2) && a.m > 2 ? t.has_lse : t.skip"),
            Atom("(a.n & a.m)"),
            Atom("a.n & 4"),
            Atom("a.n < 3 == t.has_lse"),
            Atom("a.n > a.m && a.m < a.idx"),
            Atom("a.n < a.m && a.m > (2)"),
            Atom("t.has_lse and not t.skip", (("t_has_lse", 1), ("t_skip", 0))),
            Atom("t.skip or a.n > 4"),
            Atom("a.n == 3 | t.skip"),
            Atom("- - a.n > 2"),
            Atom("(t.skip, t.has_lse)"),
        ],
        "odd": [
            Atom("(sizeof(a) > 4)"),
            Atom("std::is_same_v<fp16, fp16>"),
            Atom("(a.u - 1 < 3)"),
            Atom("(a.scale < 1.5f)"),
            Atom("(pure_sum(a.n, a.m) % 2 == 0)"),
            Atom("(false)"),
            Atom("false"),
            Atom("0"),
            Atom("(a.n)"),
            Atom("a.n"),
            Atom("a.p"),
            Atom("(seqlen_k < 2)", (), "shadow"),
            Atom("(a.n == 3) /* && ( */"),
            Atom("('(' == '\\50')"),
            Atom("(a.hdim_q % 8 == 0) // } else if (\n"),
            Atom("(t.plain)"),
            Atom("(g_table[1] == 1)"),
            Atom("(a.block_table_ptr)"),
            Atom("(static_cast<int>(t.mask_type) < 2)"),
            Atom("(a.n > 1'0 - 8)"),
        ],
    }


def odd_kinds(rng):
    return sorted(wild_atoms(rng))
