"""Writes the blobs and dispatchers of one API: generate.py -d fwd|fwd_splitkv|bwd --receipt N --output_dir DIR

Receipt 600 is everything; receipt 8, or MINI_AITER_SMALL=1, is the handful that tests build. A variant is a
dictionary of its choices; its blob's file name is also what the kernel's GetName answers.
"""
import argparse
import os
from itertools import product
from pathlib import Path

SMALL_RECEIPT = 8

CPP_TYPE = {"fp32": "Fp32", "bf16": "Bf16"}
CPP_BIAS = {
    "nbias": "ck_tile::BlockAttentionBiasEnum::NO_BIAS",
    "alibi": "ck_tile::BlockAttentionBiasEnum::ALIBI",
}
CPP_MASK = {
    "nmask": "ck_tile::SimplifiedGenericAttentionMask<false>",
    "mask": "ck_tile::SimplifiedGenericAttentionMask<true>",
}
BIAS_CHECK = {"nbias": "t.bias_type == bias_enum::no_bias", "alibi": "t.bias_type == bias_enum::alibi"}
MASK_CHECK = {"nmask": "t.mask_type == mask_enum::no_mask", "mask": "t.mask_type != mask_enum::no_mask"}
TILES = {32: (32, 32, 16), 64: (32, 16, 16), 128: (16, 16, 32)}  # query rows, keys, head dimension
BWD_TILES = {64: (16, 8), 128: (16, 4)}  # query rows, keys of a block

# An architecture family: the macros its device pass defines.
ARCH_MACROS = {
    "gfx9": ("__gfx908__", "__gfx90a__", "__gfx942__", "__gfx950__"),
    "gfx11": ("__gfx1100__", "__gfx1101__", "__gfx1102__"),
}


def is_small(receipt):
    return receipt == SMALL_RECEIPT or os.environ.get("MINI_AITER_SMALL", "0") == "1"


def cpp_bool(x):
    return "true" if x else "false"


def table(*names):
    """product, but of named choices: table(("d", (32, 64)), ("dtype", ...)) yields dictionaries."""
    keys = [name for name, _ in names]
    for values in product(*(choices for _, choices in names)):
        yield dict(zip(keys, values))


# ---- which variants there are ---------------------------------------------------------------------------------------


def fwd_variants(small):
    return list(
        table(
            ("dtype", ("fp32", "bf16")),
            ("d", (64,) if small else (32, 64, 128)),
            ("bias", ("nbias",) if small else ("nbias", "alibi")),
            ("mask", ("nmask", "mask")),
            ("lse", ("lse", "nlse")),
        )
    )


def splitkv_variants(small):
    return list(
        table(
            ("dtype", ("fp32",) if small else ("fp32", "bf16")),
            ("d", (64,) if small else (64, 128)),
            ("mask", ("nmask",) if small else ("nmask", "mask")),
        )
    )


def combine_variants(small):
    return [
        dict(dtype=dtype, d=d, lse=lse)
        for dtype, d in sorted({(v["dtype"], v["d"]) for v in splitkv_variants(small)})
        for lse in ("lse", "nlse")
    ]


def bwd_variants(small):
    """The branches of fmha_bwd. Deterministic dq is made for d128 without bias only."""
    if small:
        shape = [("dtype", ("fp32",)), ("d", (64,)), ("bias", ("nbias",))]
    else:
        shape = [("dtype", ("fp32", "bf16")), ("d", (64, 128)), ("bias", ("nbias", "alibi"))]
    every = table(*shape, ("mask", ("nmask", "mask")), ("det", ("ndeterministic", "deterministic")))
    return [
        dict(v, arch=None, pipeline="KRKTRVR")
        for v in every
        if v["det"] == "ndeterministic" or (v["d"] == 128 and v["bias"] == "nbias")
    ]


def launcher_variants(small):
    """The branches of fmha_bwd_launcher: gfx9 in full, and for gfx11 one kernel that needs no workspace."""
    gfx9 = table(
        ("arch", ("gfx9",)),
        ("dtype", ("fp32",) if small else ("fp32", "bf16")),
        ("d", (64,)),
        ("bias", ("nbias",)),
        ("mask", ("nmask",) if small else ("nmask", "mask")),
        ("det", ("ndeterministic", "deterministic")),
    )
    gfx11 = dict(arch="gfx11", dtype="fp32", d=64, bias="nbias", mask="nmask", det="ndeterministic")
    return [dict(v, pipeline="KRKTRVR") for v in gfx9] + ([] if small else [dict(gfx11, pipeline="DirectDq")])


# ---- names ----------------------------------------------------------------------------------------------------------


def fwd_name(v):
    tile = "x".join(map(str, TILES[v["d"]]))
    return f"fmha_fwd_d{v['d']}_{v['dtype']}_batch_b{tile}_qr_vr_npad_{v['bias']}_{v['mask']}_{v['lse']}"


def splitkv_name(v):
    tile = "x".join(map(str, TILES[v["d"]]))
    return f"fmha_fwd_splitkv_d{v['d']}_{v['dtype']}_batch_b{tile}_qr_vr_npad_nbias_{v['mask']}"


def combine_name(v):
    return f"fmha_fwd_splitkv_combine_d{v['d']}_{v['dtype']}_batch_b{TILES[v['d']][0]}_{v['lse']}"


def arch_suffix(v):
    return f"_{v['arch']}" if v["arch"] else ""


def dot_do_o_name(v):
    return f"fmha_bwd_dot_do_o_d{v['d']}_{v['dtype']}_batch_o2_npad{arch_suffix(v)}"


def bwd_name(v):
    tile = "x".join(map(str, BWD_TILES[v["d"]]))
    return (
        f"fmha_bwd_d{v['d']}_{v['dtype']}_batch_b{tile}_{v['pipeline'].lower()}"
        f"_{v['bias']}_{v['mask']}_{v['det']}{arch_suffix(v)}"
    )


def convert_dq_name(v):
    return f"fmha_bwd_convert_dq_d{v['d']}_{v['dtype']}_b64_batch_o2_npad_{v['det']}{arch_suffix(v)}"


# ---- traits, as the blobs and the dispatchers spell them ------------------------------------------------------------


def fwd_trait(v, mask=None):
    m0, n0, k0 = TILES[v["d"]]
    return (
        f"fmha_fwd_traits_<{v['d']}, FmhaFwd{CPP_TYPE[v['dtype']]}, false, {m0}, {n0}, {k0}, true, "
        f"ck_tile::BlockFmhaPipelineEnum::QRKSVS, {mask or CPP_MASK[v['mask']]}, {CPP_BIAS[v['bias']]}, "
        f"{cpp_bool(v['lse'] == 'lse')}, false>"
    )


def splitkv_trait(v, mask=None):
    m0, n0, k0 = TILES[v["d"]]
    return (
        f"fmha_fwd_splitkv_traits_<{v['d']}, FmhaFwd{CPP_TYPE[v['dtype']]}, false, {m0}, {n0}, {k0}, true, "
        f"ck_tile::BlockFmhaPipelineEnum::QRKSVS, {mask or CPP_MASK[v['mask']]}, {CPP_BIAS['nbias']}, true>"
    )


def combine_trait(v):
    return (
        f"fmha_fwd_splitkv_combine_traits_<{v['d']}, FmhaFwd{CPP_TYPE[v['dtype']]}, false, "
        f"/*F_bm0=*/{TILES[v['d']][0]}, {cpp_bool(v['lse'] == 'lse')}>"
    )


def dot_do_o_trait(v):
    return f"fmha_bwd_dot_do_o_traits_<{v['d']}, FmhaBwd{CPP_TYPE[v['dtype']]}, false, false, false>"


def bwd_trait(v, mask=None):
    return (
        f"fmha_bwd_dq_dk_dv_traits_<{v['d']}, FmhaBwd{CPP_TYPE[v['dtype']]}, false, "
        f"ck_tile::BlockFmhaBwdPipelineEnum::{v['pipeline']}, {mask or CPP_MASK[v['mask']]}, {CPP_BIAS[v['bias']]}, "
        f"{cpp_bool(v['det'] == 'deterministic')}>"
    )


def convert_dq_trait(v):
    return (
        f"fmha_bwd_convert_dq_traits_<{v['d']}, FmhaBwd{CPP_TYPE[v['dtype']]}, false, false, "
        f"{cpp_bool(v['det'] == 'deterministic')}>"
    )


# ---- blobs ----------------------------------------------------------------------------------------------------------

BANNER = "// auto generated by generate.py\n"

FWD_PROBLEM = """ck_tile::BlockFmhaPipelineProblem<
    typename FmhaFwdTypeConfig<fmha_dtype_0>::QDataType,
    typename FmhaFwdTypeConfig<fmha_dtype_0>::KDataType,
    typename FmhaFwdTypeConfig<fmha_dtype_0>::VDataType,
    typename FmhaFwdTypeConfig<fmha_dtype_0>::ODataType,"""


def fwd_blob(v):
    m0, n0, k0 = TILES[v["d"]]
    return f"""{BANNER}#include "ck_tile/ops/fmha/block/variants.hpp"
#include "fmha_fwd.hpp"

using fmha_dtype_0 = FmhaFwd{CPP_TYPE[v['dtype']]};

using fmha_block_tile_0 = ck_tile::sequence<{m0}, {n0}, {k0}>;

using fmha_shape_0 = ck_tile::TileFmhaShape<fmha_block_tile_0>;

using fmha_traits_0 = ck_tile::TileFmhaTraits<{CPP_BIAS[v['bias']]}, {cpp_bool(v['lse'] == 'lse')}>;

using fmha_mask_0 = {CPP_MASK[v['mask']]};

using fmha_pipeline_problem_0 = {FWD_PROBLEM}
    {v['d']},
    fmha_shape_0,
    fmha_mask_0,
    fmha_traits_0>;

using fmha_pipeline_0 = ck_tile::BlockFmhaPipelineQRKSVS<fmha_pipeline_problem_0>;

using fmha_epilogue_0 =
    ck_tile::Default2DEpilogue<ck_tile::Default2DEpilogueProblem<typename FmhaFwdTypeConfig<fmha_dtype_0>::OaccDataType,
                                                                 typename FmhaFwdTypeConfig<fmha_dtype_0>::ODataType>>;

using fmha_kernel_0 = ck_tile::FmhaFwdKernel<fmha_pipeline_0, fmha_epilogue_0>;

using trait_0 = {fwd_trait(v, mask="fmha_mask_0")};

#include <iostream>

template<>
float fmha_fwd_<trait_0>(const ck_tile::stream_config& s, fmha_fwd_args a)
{{
    using k_ = fmha_kernel_0;
    if(s.log_level_ > 0)
        std::cout << ", " << k_::GetName() << std::flush;
    auto [kargs, grids] = fmha_fwd_create_kargs_and_grids<k_>(a);
    constexpr dim3 blocks = k_::BlockSize();
    constexpr ck_tile::index_t kBlockPerCu = k_::kBlockPerCu;
    return ck_tile::launch_kernel(s, ck_tile::make_kernel<blocks.x, kBlockPerCu>(k_{{}}, grids, blocks, 0, kargs));
}}
"""


def splitkv_blob(v):
    m0, n0, k0 = TILES[v["d"]]
    return f"""{BANNER}#include "ck_tile/ops/fmha/block/variants.hpp"
#include "fmha_fwd.hpp"

using fmha_dtype_0 = FmhaFwd{CPP_TYPE[v['dtype']]};
using fmha_mask_0 = {CPP_MASK[v['mask']]};

namespace {{
template <bool kHasUnevenSplits>
struct instance {{
using fmha_block_tile = ck_tile::sequence<{m0}, {n0}, {k0}>;

using fmha_shape = ck_tile::TileFmhaShape<fmha_block_tile>;

using fmha_traits = ck_tile::TileFmhaTraits<{CPP_BIAS['nbias']}, true>;

using fmha_pipeline_problem = {FWD_PROBLEM}
    {v['d']},
    fmha_shape,
    fmha_mask_0,
    fmha_traits>;

using fmha_pipeline = ck_tile::BlockFmhaPipelineQRKSVS<fmha_pipeline_problem>;

using fmha_epilogue =
    ck_tile::Default2DEpilogue<ck_tile::Default2DEpilogueProblem<typename FmhaFwdTypeConfig<fmha_dtype_0>::OaccDataType,
                                                                 typename FmhaFwdTypeConfig<fmha_dtype_0>::OaccDataType>>;

using fmha_kernel = ck_tile::FmhaFwdSplitKVKernel<fmha_pipeline, fmha_epilogue, kHasUnevenSplits>;

static void run(const ck_tile::stream_config& s, fmha_fwd_splitkv_args a)
{{
    using k_ = fmha_kernel;
    auto [kargs, grids] = fmha_fwd_splitkv_create_kargs_and_grids<k_>(a);
    constexpr dim3 blocks = k_::BlockSize();
    constexpr ck_tile::index_t kBlockPerCu = k_::kBlockPerCu;
    ck_tile::make_kernel<blocks.x, kBlockPerCu>(k_{{}}, grids, blocks, 0, kargs)(ck_tile::stream_config{{s.stream_id_}});
}}
}};
}}

using trait_0 = {splitkv_trait(v, mask="fmha_mask_0")};

#include <iostream>

namespace {{
template <bool kHasUnevenSplits>
void run_instance(const ck_tile::stream_config& s, fmha_fwd_splitkv_args a) {{
    instance<kHasUnevenSplits>::run(s, a);
}}
}} // anonymous namespace

template<>
void fmha_fwd_splitkv_oneshot_<trait_0>(const ck_tile::stream_config& s, fmha_fwd_splitkv_args a)
{{
    if (a.seqlen_k % a.num_splits == 0) {{
        run_instance</*kHasUnevenSplits=*/false>(s, a);
    }} else {{
        run_instance</*kHasUnevenSplits=*/true>(s, a);
    }}
}}

template<>
std::string fmha_fwd_splitkv_get_name_<trait_0>()
{{
    using k_ = instance<true>::fmha_kernel;
    return k_::GetName();
}}
"""


def combine_blob(v):
    return f"""{BANNER}#include "ck_tile/ops/fmha/block/variants.hpp"
#include "fmha_fwd.hpp"

using fmha_dtype_0 = FmhaFwd{CPP_TYPE[v['dtype']]};

namespace {{
template <ck_tile::index_t kLogMaxSplits>
struct instance {{
using fmha_epilogue =
    ck_tile::Default2DEpilogue<ck_tile::Default2DEpilogueProblem<typename FmhaFwdTypeConfig<fmha_dtype_0>::OaccDataType,
                                                                 typename FmhaFwdTypeConfig<fmha_dtype_0>::ODataType>>;

using fmha_kernel = ck_tile::FmhaFwdSplitKVCombineKernel<fmha_epilogue,
                                                         typename FmhaFwdTypeConfig<fmha_dtype_0>::QDataType,
                                                         {v['d']},
                                                         {TILES[v['d']][0]},
                                                         kLogMaxSplits,
                                                         {cpp_bool(v['lse'] == 'lse')}>;

static void run(const ck_tile::stream_config& s, fmha_fwd_splitkv_args a)
{{
    using k_ = fmha_kernel;
    auto [kargs, grids] = fmha_fwd_splitkv_combine_create_kargs_and_grids<k_>(a);
    constexpr dim3 blocks = k_::BlockSize();
    constexpr ck_tile::index_t kBlockPerCu = k_::kBlockPerCu;
    ck_tile::make_kernel<blocks.x, kBlockPerCu>(k_{{}}, grids, blocks, 0, kargs)(ck_tile::stream_config{{s.stream_id_}});
}}
}};
}}

using trait_0 = {combine_trait(v)};

#include <iostream>

template<>
void fmha_fwd_splitkv_combine_oneshot_<trait_0>(const ck_tile::stream_config& s, fmha_fwd_splitkv_args a)
{{
    if (a.num_splits <= 4) {{
        instance<2>::run(s, a);
    }} else if (a.num_splits <= 16) {{
        instance<4>::run(s, a);
    }}
}}

template<>
std::string fmha_fwd_splitkv_combine_get_name_<trait_0>()
{{
    using k_ = instance<4>::fmha_kernel;
    return k_::GetName();
}}
"""


def bwd_functions(v, step, trait):
    """The three functions that every bwd blob has: timed, one shot, name."""
    args = trait + (f", ck_tile::{v['arch']}_t" if v["arch"] else "")
    return f"""
#include <iostream>

template <>
float fmha_bwd_{step}_<{args}>(const ck_tile::stream_config& s, fmha_bwd_args a)
{{
    using k_ = fmha_bwd_{step}_kernel_0;
    if(s.log_level_ > 0)
        std::cout << ", " << k_::GetName() << std::flush;
    auto [kargs, grids]                    = fmha_bwd_{step}_create_kargs_and_grids<k_>(a);
    constexpr dim3 blocks                  = k_::BlockSize();
    constexpr ck_tile::index_t kBlockPerCu = k_::kBlockPerCu;
    return ck_tile::launch_kernel(
        s, ck_tile::make_kernel<blocks.x, kBlockPerCu>(k_{{}}, grids, blocks, 0, kargs));
}}

template <>
void fmha_bwd_{step}_oneshot_<{args}>(const ck_tile::stream_config& s, fmha_bwd_args a)
{{
    using k_                               = fmha_bwd_{step}_kernel_0;
    auto [kargs, grids]                    = fmha_bwd_{step}_create_kargs_and_grids<k_>(a);
    constexpr dim3 blocks                  = k_::BlockSize();
    constexpr ck_tile::index_t kBlockPerCu = k_::kBlockPerCu;
    ck_tile::make_kernel<blocks.x, kBlockPerCu>(k_{{}}, grids, blocks, 0, kargs)(
        ck_tile::stream_config{{s.stream_id_}});
}}

template <>
std::string fmha_bwd_{step}_get_name_<{args}>()
{{
    using k_ = fmha_bwd_{step}_kernel_0;
    return k_::GetName();
}}
"""


def bwd_blob(v, body):
    """A blob made for one architecture family is empty in the device passes of the others."""
    if not v["arch"]:
        return f'{BANNER}#include "fmha_bwd.hpp"\n{body}'
    check = " || ".join(f"defined({m})" for m in ARCH_MACROS[v["arch"]])
    return f"""{BANNER}#include "fmha_bwd.hpp"

#if !defined(__HIP_DEVICE_COMPILE__) || ({check})
{body}
#endif // {v['arch']}
"""


def arch_argument(v):
    return f", ck_tile::{v['arch']}_t" if v["arch"] else ""


def dot_do_o_blob(v):
    return bwd_blob(v, f"""
using fmha_dtype_0 = FmhaBwd{CPP_TYPE[v['dtype']]};

using fmha_bwd_dot_do_o_pipeline_problem_0 = ck_tile::BlockFmhaBwdOGradDotOPipelineProblem<
    typename FmhaBwdTypeConfig<fmha_dtype_0>::ODataType,
    typename FmhaBwdTypeConfig<fmha_dtype_0>::OGradDataType,
    /* BlockSize = */ 64,
    {v['d']}>;

using fmha_bwd_dot_do_o_kernel_0 =
    ck_tile::FmhaBwdOGradDotOKernel<fmha_bwd_dot_do_o_pipeline_problem_0{arch_argument(v)}>;

using dot_do_o_trait_0 =
    {dot_do_o_trait(v)};
{bwd_functions(v, "dot_do_o", "dot_do_o_trait_0")}""")


def dq_dk_dv_blob(v):
    m0, n0 = BWD_TILES[v["d"]]
    body = f"""
using fmha_dtype_0 = FmhaBwd{CPP_TYPE[v['dtype']]};

using fmha_block_tile_0 = ck_tile::
    sequence<{m0}, {n0}>;

using fmha_bwd_shape_0 = ck_tile::TileFmhaBwdShape<fmha_block_tile_0>;

using fmha_mask_0 = {CPP_MASK[v['mask']]};

using fmha_bwd_pipeline_problem_0 = ck_tile::BlockFmhaBwdPipelineProblem<
    typename FmhaBwdTypeConfig<fmha_dtype_0>::QDataType,
    {v['d']},
    fmha_bwd_shape_0,
    fmha_mask_0,
    {CPP_BIAS[v['bias']]},
    {cpp_bool(v['det'] == 'deterministic')}>;

using fmha_bwd_pipeline_0 = ck_tile::BlockFmhaBwdDQDKDVPipeline{v['pipeline']}<fmha_bwd_pipeline_problem_0>;

using fmha_bwd_dk_epilogue_0 = ck_tile::Default2DEpilogue<
    ck_tile::Default2DEpilogueProblem<typename FmhaBwdTypeConfig<fmha_dtype_0>::AccDataType,
                                      typename FmhaBwdTypeConfig<fmha_dtype_0>::KGradDataType>>;

using fmha_bwd_dv_epilogue_0 = ck_tile::Default2DEpilogue<
    ck_tile::Default2DEpilogueProblem<typename FmhaBwdTypeConfig<fmha_dtype_0>::AccDataType,
                                      typename FmhaBwdTypeConfig<fmha_dtype_0>::VGradDataType>>;

using fmha_bwd_dq_dk_dv_kernel_0 =
    ck_tile::FmhaBwdDQDKDVKernel<fmha_bwd_pipeline_0,
                                 fmha_bwd_dk_epilogue_0,
                                 fmha_bwd_dv_epilogue_0{arch_argument(v)}>;

using dq_dk_dv_trait_0 = {bwd_trait(v, mask="fmha_mask_0")};
{bwd_functions(v, "dq_dk_dv", "dq_dk_dv_trait_0")}"""
    if v["arch"]:
        args = f"dq_dk_dv_trait_0, ck_tile::{v['arch']}_t"
        body += f"""
template <>
size_t fmha_bwd_dq_dk_dv_ws_host_size_<{args}>(ck_tile::index_t batch)
{{
    using k_ = fmha_bwd_dq_dk_dv_kernel_0;
    return k_::GetWorkspaceHostSize(batch);
}}

template <>
size_t fmha_bwd_dq_dk_dv_prepare_ws_host_<{args}>(void* ws_host,
                                                  ck_tile::index_t batch,
                                                  ck_tile::index_t hdim_q,
                                                  ck_tile::index_t nhead,
                                                  ck_tile::index_t seqlen_q,
                                                  ck_tile::index_t seqlen_k)
{{
    using k_ = fmha_bwd_dq_dk_dv_kernel_0;
    return k_::PrepareWorkspaceHost(ws_host, batch, hdim_q, nhead, seqlen_q, seqlen_k);
}}

template <>
bool fmha_bwd_dq_dk_dv_needs_zero_dq_acc_<{args}>()
{{
    using k_ = fmha_bwd_dq_dk_dv_kernel_0;
    return k_::NeedsZeroDqAcc();
}}
"""
    return bwd_blob(v, body)


def convert_dq_blob(v):
    return bwd_blob(v, f"""
using fmha_dtype_0 = FmhaBwd{CPP_TYPE[v['dtype']]};

using fmha_bwd_convert_dq_pipeline_problem_0 =
    ck_tile::BlockFmhaBwdConvertQGradPipelineProblem<
        typename FmhaBwdTypeConfig<fmha_dtype_0>::QGradDataType,
        /* BlockSize = */ 64,
        64,
        {v['d']},
        {cpp_bool(v['det'] == 'deterministic')}>;

using fmha_bwd_convert_dq_kernel_0 =
    ck_tile::FmhaBwdConvertQGradKernel<fmha_bwd_convert_dq_pipeline_problem_0{arch_argument(v)}>;

using convert_dq_trait_0 = {convert_dq_trait(v)};
{bwd_functions(v, "convert_dq", "convert_dq_trait_0")}""")


# ---- dispatchers ----------------------------------------------------------------------------------------------------


def chain(variants, branch, indent="    "):
    """if(dtype) { if(head dimension) { if(…) {…} else if(…) {…} } else if … } else if …"""
    out = []
    for i, dtype in enumerate(dict.fromkeys(v["dtype"] for v in variants)):
        of_dtype = [v for v in variants if v["dtype"] == dtype]
        out.append(f'{indent}{"else " if i else ""}if(t.data_type.compare("{dtype}") == 0){{\n')
        for j, d in enumerate(sorted({v["d"] for v in of_dtype})):
            out.append(f"{indent}    {'else ' if j else ''}if (t.hdim_q <= {d} && t.hdim_v <= {d}) {{\n")
            for n, v in enumerate(v for v in of_dtype if v["d"] == d):
                conditions, body = branch(v)
                inner = indent + " " * 8
                out.append(f"{inner}{'else ' if n else ''}if({conditions}) {{\n")
                out += [f"{inner}    {line}\n" if line else "\n" for line in body]
                out.append(f"{inner}}}\n")
            out.append(f"{indent}    }}\n\n")
        out.append(f"{indent}}}\n\n")
    return "".join(out)


def fwd_api(variants):
    def branch(v):
        conditions = (
            f"(t.is_group_mode == false) && (t.is_v_rowmajor == true) && ({MASK_CHECK[v['mask']]}) && "
            f"({BIAS_CHECK[v['bias']]}) && (t.has_lse == {cpp_bool(v['lse'] == 'lse')}) &&\n"
            f"                        (true) && (a.seqlen_k != 0) && (a.hdim_q % 8 == 0) && (a.hdim_v % 8 == 0)"
        )
        return conditions, [f"using trait_ = {fwd_trait(v)};", "return fmha_fwd_<trait_>(s, a);"]

    return f"""{BANNER}#include "ck_tile/ops/fmha/block/variants.hpp"
#include "fmha_fwd.hpp"

float fmha_fwd(fmha_fwd_traits t, fmha_fwd_args a, const ck_tile::stream_config& s){{
    float r = -1;

{chain(variants, branch)}    return r;
}}
"""


def splitkv_api(variants):
    def branch(v):
        conditions = (
            f"(t.is_group_mode == false) && (t.is_v_rowmajor == true) && ({MASK_CHECK[v['mask']]}) && "
            f"({BIAS_CHECK['nbias']}) &&\n"
            f"                        (a.num_splits <= 16) && (a.seqlen_k != 0) && (a.hdim_q % 8 == 0) && (a.hdim_v % 8 == 0)"
        )
        return conditions, [
            f"using traits_ = {splitkv_trait(v)};",
            "",
            "// the combine kernel takes whole query tiles",
            f"constexpr ck_tile::index_t kM0 = {TILES[v['d']][0]};",
            f"static_assert({TILES[v['d']][0]} % kM0 == 0);",
            "",
            "if (t.has_lse) {",
            f"    if constexpr (!std::is_same_v<typename FmhaFwdTypeConfig<FmhaFwd{CPP_TYPE[v['dtype']]}>::LSEDataType, float>) {{",
            "        return -1;",
            "    } else {",
            f"        using traits2_ = {combine_trait(dict(v, lse='lse'))};",
            "",
            "        return fmha_fwd_splitkv_<traits_, traits2_>(s, a);",
            "    }",
            "} else {",
            f"    using traits2_ = {combine_trait(dict(v, lse='nlse'))};",
            "",
            "    return fmha_fwd_splitkv_<traits_, traits2_>(s, a);",
            "}",
        ]

    return f"""{BANNER}#include "ck_tile/ops/fmha/block/variants.hpp"
#include "fmha_fwd.hpp"

#include <iostream>

template<typename fmha_fwd_splitkv_traits_, typename fmha_fwd_splitkv_combine_traits_>
float fmha_fwd_splitkv_(const ck_tile::stream_config& s, fmha_fwd_splitkv_args a)
{{
    if(s.log_level_ > 0)
    std::cout
    << ", " << fmha_fwd_splitkv_get_name_<fmha_fwd_splitkv_traits_>()
    << ", " << fmha_fwd_splitkv_combine_get_name_<fmha_fwd_splitkv_combine_traits_>()
    << std::flush;

    return ck_tile::launch_kernel(s,
        [=](const ck_tile::stream_config& s_){{ fmha_fwd_splitkv_oneshot_<fmha_fwd_splitkv_traits_>(s_, a); }},
        [=](const ck_tile::stream_config& s_){{ fmha_fwd_splitkv_combine_oneshot_<fmha_fwd_splitkv_combine_traits_>(s_, a); }}
    );
}}

float fmha_fwd_splitkv(fmha_fwd_splitkv_traits t, fmha_fwd_splitkv_args a, const ck_tile::stream_config& s){{
    float r = -1;
{chain(variants, branch)}    return r;
}}
"""


def bwd_conditions(v):
    return (
        f"(t.is_group_mode == false) && ({MASK_CHECK[v['mask']]}) && ({BIAS_CHECK[v['bias']]}) && "
        f"(t.has_dropout == false) &&\n"
        f"                        (t.hdim_q % 8 == 0) && (t.hdim_v % 8 == 0) && "
        f"(t.is_deterministic == {cpp_bool(v['det'] == 'deterministic')})"
    )


def bwd_traits(v):
    convert = "void" if v["pipeline"] == "DirectDq" else convert_dq_trait(v)
    return [
        f"using dot_do_o_trait_ = {dot_do_o_trait(v)};",
        f"using dq_dk_dv_trait_ = {bwd_trait(v)};",
        f"using convert_dq_trait_ = {convert};",
    ]


def bwd_api(variants):
    def branch(v):
        return bwd_conditions(v), bwd_traits(v) + [
            "r = fmha_bwd_<dot_do_o_trait_, dq_dk_dv_trait_, convert_dq_trait_>(s, a);",
            "return r;",
        ]

    return f"""{BANNER}#include "fmha_bwd.hpp"

#include <iostream>

template <typename dot_do_o_trait_, typename dq_dk_dv_trait_, typename convert_dq_trait_>
float fmha_bwd_(const ck_tile::stream_config& s, fmha_bwd_args a)
{{
    if(s.log_level_ > 0)
        std::cout << ", " << fmha_bwd_dot_do_o_get_name_<dot_do_o_trait_>() << "@" << fmha_bwd_convert_dq_get_name_<convert_dq_trait_>() << "@" << fmha_bwd_dq_dk_dv_get_name_<dq_dk_dv_trait_>() << std::flush;
    return ck_tile::launch_kernel(s,
        [=](const ck_tile::stream_config& s_){{ fmha_bwd_dot_do_o_oneshot_<dot_do_o_trait_>(s_, a); }},
        [=](const ck_tile::stream_config& s_){{ fmha_bwd_dq_dk_dv_oneshot_<dq_dk_dv_trait_>(s_, a); }},
        [=](const ck_tile::stream_config& s_){{ fmha_bwd_convert_dq_oneshot_<convert_dq_trait_>(s_, a); }}
    );
}}

template <>
float fmha_bwd<2>(fmha_bwd_traits t, fmha_bwd_args a, const ck_tile::stream_config& s){{
    float r = -1;
{chain(variants, branch)}    return r;
}}
"""


def launcher_api(variants):
    def branch(v):
        return bwd_conditions(v), bwd_traits(v) + [
            f"this->init<dot_do_o_trait_, dq_dk_dv_trait_, convert_dq_trait_, ck_tile::{v['arch']}_t>(t);",
            "return;",
        ]

    chains = ""
    for i, arch in enumerate(dict.fromkeys(v["arch"] for v in variants)):
        chains += f'    {"else " if i else ""}if(device_name.compare(0, {len(arch)}, "{arch}") == 0){{\n'
        chains += chain([v for v in variants if v["arch"] == arch], branch, indent=" " * 8)
        chains += "    }\n\n"
    return f"""{BANNER}#include "fmha_bwd.hpp"

#include <iostream>

fmha_bwd_launcher::fmha_bwd_launcher(const fmha_bwd_traits& t)
{{
    const std::string device_name = ck_tile::get_device_name();
    run = [](fmha_bwd_args, const ck_tile::stream_config&) {{
        std::cerr << "fmha_bwd_launcher: no kernel for these traits, nothing was computed" << std::endl;
        return -1.f;
    }};
    prepare_workspace = [](void*) {{
        std::cerr << "fmha_bwd_launcher: no kernel for these traits, no workspace to prepare" << std::endl;
    }};

{chains}}}
"""


# ---- files ----------------------------------------------------------------------------------------------------------


def fwd_files(small):
    variants = fwd_variants(small)
    yield "fmha_fwd_api", fwd_api(variants)
    for v in variants:
        yield fwd_name(v), fwd_blob(v)


def splitkv_files(small):
    variants = splitkv_variants(small)
    yield "fmha_fwd_splitkv_api", splitkv_api(variants)
    for v in variants:
        yield splitkv_name(v), splitkv_blob(v)
    for v in combine_variants(small):
        yield combine_name(v), combine_blob(v)


def bwd_files(small):
    classic, launcher = bwd_variants(small), launcher_variants(small)
    yield "fmha_bwd_api", bwd_api(classic)
    yield "fmha_bwd_launcher_api", launcher_api(launcher)
    for v in classic + launcher:
        yield dot_do_o_name(v), dot_do_o_blob(v)
        yield bwd_name(v), dq_dk_dv_blob(v)
        if v["pipeline"] != "DirectDq":
            yield convert_dq_name(v), convert_dq_blob(v)


FILES = {"fwd": fwd_files, "fwd_splitkv": splitkv_files, "bwd": bwd_files}


def main():
    parser = argparse.ArgumentParser(prog="generate", description="write the blobs and dispatchers of one API")
    parser.add_argument("-d", "--direction", default="fwd", choices=sorted(FILES))
    parser.add_argument("-o", "--output_dir", default=".")
    parser.add_argument("-r", "--receipt", type=int, default=600, help="600: everything; 8: a handful")
    parser.add_argument("-l", "--list_blobs", help="write the blobs' paths to this file and generate nothing")
    args = parser.parse_args()

    files = dict(FILES[args.direction](is_small(args.receipt)))
    out = Path(args.output_dir)
    if args.list_blobs:
        Path(args.list_blobs).write_text("".join(f"{out / name}.cpp\n" for name in files))
        return
    out.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (out / f"{name}.cpp").write_text(text)


if __name__ == "__main__":
    main()
