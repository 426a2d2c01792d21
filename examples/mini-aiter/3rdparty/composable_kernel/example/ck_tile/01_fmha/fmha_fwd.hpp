// What the forward dispatchers and blobs share. The function templates are only declared here: each blob is one or
// two explicit specialisations of them.
#pragma once

#include "ck_tile/ops/fmha_fwd.hpp"
#include "mask.hpp"
#include "bias.hpp"

#include <string>
#include <type_traits>
#include <utility>

struct FmhaFwdFp32
{
};
struct FmhaFwdBf16
{
};

template <typename DataType>
struct FmhaFwdTypeConfig;

template <>
struct FmhaFwdTypeConfig<FmhaFwdFp32>
{
    using QDataType    = float;
    using KDataType    = float;
    using VDataType    = float;
    using LSEDataType  = float;
    using OaccDataType = float;
    using ODataType    = float;
};

template <>
struct FmhaFwdTypeConfig<FmhaFwdBf16>
{
    using QDataType    = ck_tile::bf16_t;
    using KDataType    = ck_tile::bf16_t;
    using VDataType    = ck_tile::bf16_t;
    using LSEDataType  = float;
    using OaccDataType = float;
    using ODataType    = ck_tile::bf16_t;
};

struct FmhaMasks
{
    using NoMask     = ck_tile::SimplifiedGenericAttentionMask<false>;
    using CausalMask = ck_tile::SimplifiedGenericAttentionMask<true>;
};

// Strides are in elements; a null lse_ptr means that no lse is wanted.
struct fmha_fwd_args
{
    const void* q_ptr;
    const void* k_ptr;
    const void* v_ptr;
    const void* bias_ptr; // ALiBi slopes, float [nhead_q], or [batch, nhead_q] when batch_stride_bias is not 0
    void* lse_ptr;
    void* o_ptr;

    ck_tile::index_t batch;
    ck_tile::index_t seqlen_q;
    ck_tile::index_t seqlen_k;
    ck_tile::index_t hdim_q;
    ck_tile::index_t hdim_v;
    ck_tile::index_t nhead_q;
    ck_tile::index_t nhead_k;

    float scale_s;

    ck_tile::index_t stride_q;
    ck_tile::index_t stride_k;
    ck_tile::index_t stride_v;
    ck_tile::index_t stride_o;
    ck_tile::index_t nhead_stride_q;
    ck_tile::index_t nhead_stride_k;
    ck_tile::index_t nhead_stride_v;
    ck_tile::index_t nhead_stride_lse;
    ck_tile::index_t nhead_stride_o;
    ck_tile::index_t batch_stride_q;
    ck_tile::index_t batch_stride_k;
    ck_tile::index_t batch_stride_v;
    ck_tile::index_t batch_stride_bias;
    ck_tile::index_t batch_stride_lse;
    ck_tile::index_t batch_stride_o;

    ck_tile::index_t mask_type;
};

struct fmha_fwd_splitkv_args : fmha_fwd_args
{
    void* lse_acc_ptr; // float [num_splits, batch, nhead_q, seqlen_q]
    void* o_acc_ptr;   // float [num_splits, batch, nhead_q, seqlen_q, hdim_v]
    ck_tile::index_t num_splits;

    ck_tile::index_t stride_o_acc;
    ck_tile::index_t nhead_stride_o_acc;
    ck_tile::index_t nhead_stride_lse_acc;
    ck_tile::index_t batch_stride_o_acc;
    ck_tile::index_t batch_stride_lse_acc;
    ck_tile::long_index_t split_stride_o_acc;
    ck_tile::long_index_t split_stride_lse_acc;
};

inline ck_tile::score_params fmha_fwd_scores(const fmha_fwd_args& a)
{
    return {a.seqlen_q,
            a.seqlen_k,
            a.hdim_q,
            a.scale_s,
            a.mask_type == static_cast<int>(mask_enum::mask_bottom_right),
            static_cast<const float*>(a.bias_ptr),
            a.batch_stride_bias};
}

template <typename FmhaKernel>
auto fmha_fwd_create_kargs_and_grids(fmha_fwd_args a)
{
    using P = typename FmhaKernel::Problem;
    typename FmhaKernel::Kargs kargs{
        fmha_fwd_scores(a),
        a.hdim_v,
        a.nhead_q / a.nhead_k,
        {static_cast<const typename P::Q*>(a.q_ptr), a.batch_stride_q, a.nhead_stride_q, a.stride_q},
        {static_cast<const typename P::K*>(a.k_ptr), a.batch_stride_k, a.nhead_stride_k, a.stride_k},
        {static_cast<const typename P::V*>(a.v_ptr), a.batch_stride_v, a.nhead_stride_v, a.stride_v},
        {static_cast<typename P::O*>(a.o_ptr), a.batch_stride_o, a.nhead_stride_o, a.stride_o},
        {static_cast<float*>(a.lse_ptr), a.batch_stride_lse, a.nhead_stride_lse, 1}};
    return std::make_pair(kargs, FmhaKernel::GridSize(a.batch, a.nhead_q, a.seqlen_q));
}

template <typename FmhaKernel>
auto fmha_fwd_splitkv_create_kargs_and_grids(fmha_fwd_splitkv_args a)
{
    using P = typename FmhaKernel::Problem;
    typename FmhaKernel::Kargs kargs{
        fmha_fwd_scores(a),
        a.hdim_v,
        a.nhead_q / a.nhead_k,
        a.num_splits,
        {static_cast<const typename P::Q*>(a.q_ptr), a.batch_stride_q, a.nhead_stride_q, a.stride_q},
        {static_cast<const typename P::K*>(a.k_ptr), a.batch_stride_k, a.nhead_stride_k, a.stride_k},
        {static_cast<const typename P::V*>(a.v_ptr), a.batch_stride_v, a.nhead_stride_v, a.stride_v},
        {static_cast<float*>(a.o_acc_ptr), a.batch_stride_o_acc, a.nhead_stride_o_acc, a.stride_o_acc},
        {static_cast<float*>(a.lse_acc_ptr), a.batch_stride_lse_acc, a.nhead_stride_lse_acc, 1},
        a.split_stride_o_acc,
        a.split_stride_lse_acc};
    return std::make_pair(kargs, FmhaKernel::GridSize(a.batch, a.nhead_q, a.seqlen_q, a.num_splits));
}

template <typename FmhaKernel>
auto fmha_fwd_splitkv_combine_create_kargs_and_grids(fmha_fwd_splitkv_args a)
{
    typename FmhaKernel::Kargs kargs{
        a.seqlen_q,
        a.hdim_v,
        a.num_splits,
        {static_cast<const float*>(a.o_acc_ptr), a.batch_stride_o_acc, a.nhead_stride_o_acc, a.stride_o_acc},
        {static_cast<const float*>(a.lse_acc_ptr), a.batch_stride_lse_acc, a.nhead_stride_lse_acc, 1},
        a.split_stride_o_acc,
        a.split_stride_lse_acc,
        {static_cast<decltype(kargs.o.data)>(a.o_ptr), a.batch_stride_o, a.nhead_stride_o, a.stride_o},
        {static_cast<float*>(a.lse_ptr), a.batch_stride_lse, a.nhead_stride_lse, 1}};
    return std::make_pair(kargs, FmhaKernel::GridSize(a.batch, a.nhead_q, a.seqlen_q));
}

// The names of the variants: one type for each blob.
template <ck_tile::index_t HDim_, typename DataType_, bool kIsGroupMode_, ck_tile::index_t kM0_, ck_tile::index_t kN0_,
          ck_tile::index_t kK0_, bool kIsVLayoutRowMajor_, ck_tile::BlockFmhaPipelineEnum FmhaPipelineEnum_,
          typename FmhaMask_, ck_tile::BlockAttentionBiasEnum BiasEnum_, bool kStoreLse_, bool kPadD_>
struct fmha_fwd_traits_
{
};

template <ck_tile::index_t HDim_, typename DataType_, bool kIsGroupMode_, ck_tile::index_t kM0_, ck_tile::index_t kN0_,
          ck_tile::index_t kK0_, bool kIsVLayoutRowMajor_, ck_tile::BlockFmhaPipelineEnum FmhaPipelineEnum_,
          typename FmhaMask_, ck_tile::BlockAttentionBiasEnum BiasEnum_, bool kStoreLse_>
struct fmha_fwd_splitkv_traits_
{
};

template <ck_tile::index_t HDim_, typename DataType_, bool kIsGroupMode_, ck_tile::index_t kM0_, bool kStoreLse_>
struct fmha_fwd_splitkv_combine_traits_
{
};

template <typename Traits_>
float fmha_fwd_(const ck_tile::stream_config&, fmha_fwd_args);

template <typename Traits_>
void fmha_fwd_splitkv_oneshot_(const ck_tile::stream_config&, fmha_fwd_splitkv_args);
template <typename Traits_>
std::string fmha_fwd_splitkv_get_name_();

template <typename Traits_>
void fmha_fwd_splitkv_combine_oneshot_(const ck_tile::stream_config&, fmha_fwd_splitkv_args);
template <typename Traits_>
std::string fmha_fwd_splitkv_combine_get_name_();

// The dispatchers. They return the time in ms (0 when not measured), or -1 when no kernel matches.
struct fmha_fwd_traits
{
    int hdim_q;
    int hdim_v;
    std::string data_type;
    bool is_group_mode;
    bool is_v_rowmajor;
    mask_enum mask_type;
    bias_enum bias_type;
    bool has_lse;
};
float fmha_fwd(fmha_fwd_traits, fmha_fwd_args, const ck_tile::stream_config&);

using fmha_fwd_splitkv_traits = fmha_fwd_traits;
float fmha_fwd_splitkv(fmha_fwd_splitkv_traits, fmha_fwd_splitkv_args, const ck_tile::stream_config&);
