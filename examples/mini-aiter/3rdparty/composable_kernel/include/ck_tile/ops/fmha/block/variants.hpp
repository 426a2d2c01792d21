// Small types that name a variant of attention: mask, bias, pipeline; and the scores that they lead to.
#pragma once

#include "ck_tile/core.hpp"

namespace ck_tile {

enum class BlockAttentionBiasEnum
{
    NO_BIAS          = 0,
    ELEMENTWISE_BIAS = 1,
    ALIBI            = 2,
};

enum class BlockFmhaPipelineEnum
{
    QRKSVS = 0,
};

enum class BlockFmhaBwdPipelineEnum
{
    KRKTRVR  = 0,
    DirectDq = 1, // one block owns a whole head and writes dq itself: no dq_acc, no convert_dq
};

template <bool IsMasking_>
struct SimplifiedGenericAttentionMask
{
    static constexpr bool IsMasking = IsMasking_;
};

// Softmax works in base 2 where the build asks for it, as CK does.
inline float softmax_exp(float x)
{
#if defined(CK_TILE_FMHA_FWD_FAST_EXP2) && CK_TILE_FMHA_FWD_FAST_EXP2
    return std::exp2(x * 1.44269504088896340736f);
#else
    return std::exp(x);
#endif
}

// What the score of (row, column) needs besides q and k.
struct score_params
{
    index_t seqlen_q, seqlen_k, hdim;
    float scale;
    bool mask_bottom_right;          // else the diagonal starts at (0, 0)
    const float* alibi_slopes;       // [nhead], or [batch, nhead] when the stride is not 0
    long_index_t alibi_batch_stride;
};

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

// scale * q.k, plus -slope * |i + (sk - sq) - j| for ALiBi, or -inf where masked.
template <typename Mask, BlockAttentionBiasEnum Bias, typename Q, typename K>
inline float score(const score_params& p, const Q* q, const K* k, float slope, index_t i, index_t j)
{
    const index_t shift = p.seqlen_k - p.seqlen_q;
    if constexpr(Mask::IsMasking)
        if(j > i + (p.mask_bottom_right ? shift : 0))
            return minus_infinity;
    float sum = 0;
    for(index_t d = 0; d < p.hdim; d++)
        sum += type_convert<float>(q[d]) * type_convert<float>(k[d]);
    sum *= p.scale;
    if constexpr(Bias == BlockAttentionBiasEnum::ALIBI)
        sum -= slope * static_cast<float>(std::abs(i + shift - j));
    return sum;
}

template <BlockAttentionBiasEnum Bias>
inline float alibi_slope(const score_params& p, index_t batch, index_t head)
{
    if constexpr(Bias == BlockAttentionBiasEnum::ALIBI)
        return p.alibi_slopes[batch * p.alibi_batch_stride + head];
    else
        return 0;
}

} // namespace ck_tile
