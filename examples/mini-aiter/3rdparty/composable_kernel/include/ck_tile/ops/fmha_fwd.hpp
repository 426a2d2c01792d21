// Forward attention, one block of query rows at a time: fwd, split-kv and its combine step.
#pragma once

#include "ck_tile/ops/fmha/block/variants.hpp"

namespace ck_tile {

template <typename BlockTile_>
struct TileFmhaShape
{
    static constexpr index_t kM0 = BlockTile_::at(0); // query rows of a block
    static constexpr index_t kN0 = BlockTile_::at(1); // keys of a tile
    static constexpr index_t kK0 = BlockTile_::at(2);

    static std::string name()
    {
        return "b" + std::to_string(kM0) + "x" + std::to_string(kN0) + "x" + std::to_string(kK0);
    }
};

template <BlockAttentionBiasEnum Bias_, bool kStoreLSE_>
struct TileFmhaTraits
{
    static constexpr auto Bias      = Bias_;
    static constexpr bool kStoreLSE = kStoreLSE_;
};

template <typename Q_, typename K_, typename V_, typename O_, index_t kHeadDim_, typename Shape_, typename Mask_,
          typename Traits_>
struct BlockFmhaPipelineProblem
{
    using Q      = Q_;
    using K      = K_;
    using V      = V_;
    using O      = O_;
    using Shape  = Shape_;
    using Mask   = Mask_;
    using Traits = Traits_;
    static constexpr index_t kHeadDim = kHeadDim_; // the largest head dimension that the kernel has room for
};

// One query row against keys [begin, end): online softmax, a tile of keys at a time.
template <typename Problem_>
struct BlockFmhaPipelineQRKSVS
{
    using Problem = Problem_;
    using Shape   = typename Problem::Shape;

    struct row_result
    {
        float o[Problem::kHeadDim];
        float lse;
    };

    static void run(row_result& r, const score_params& p, float slope, const typename Problem::Q* q,
                    const tensor_view<const typename Problem::K>& k, const tensor_view<const typename Problem::V>& v,
                    index_t hdim_v, index_t batch, index_t head_k, index_t i, index_t begin, index_t end)
    {
        float m = minus_infinity, l = 0;
        for(index_t d = 0; d < hdim_v; d++)
            r.o[d] = 0;

        for(index_t j0 = begin; j0 < end; j0 += Shape::kN0)
        {
            const index_t n = std::min(Shape::kN0, end - j0);
            float s[Shape::kN0];
            float m_new = m;
            for(index_t j = 0; j < n; j++)
            {
                s[j]  = score<typename Problem::Mask, Problem::Traits::Bias>(
                    p, q, k.row(batch, head_k, j0 + j), slope, i, j0 + j);
                m_new = std::max(m_new, s[j]);
            }
            if(m_new == minus_infinity)
                continue; // all of the tile is masked
            const float rescale = m == minus_infinity ? 0.f : softmax_exp(m - m_new);
            l *= rescale;
            for(index_t d = 0; d < hdim_v; d++)
                r.o[d] *= rescale;
            for(index_t j = 0; j < n; j++)
            {
                const float weight                 = softmax_exp(s[j] - m_new);
                const typename Problem::V* v_row = v.row(batch, head_k, j0 + j);
                l += weight;
                for(index_t d = 0; d < hdim_v; d++)
                    r.o[d] += weight * type_convert<float>(v_row[d]);
            }
            m = m_new;
        }

        const float scale = l > 0 ? 1.f / l : 0.f;
        for(index_t d = 0; d < hdim_v; d++)
            r.o[d] *= scale;
        r.lse = l > 0 ? m + std::log(l) : minus_infinity;
    }
};

template <typename AccDataType_, typename ODataType_>
struct Default2DEpilogueProblem
{
    using Acc = AccDataType_;
    using O   = ODataType_;
};

template <typename Problem_>
struct Default2DEpilogue
{
    using O = typename Problem_::O;

    static void store(O* to, const typename Problem_::Acc* from, index_t n)
    {
        for(index_t d = 0; d < n; d++)
            to[d] = type_convert<O>(from[d]);
    }
};

namespace detail {
template <typename Traits>
std::string bias_and_mask_name(bool masked)
{
    return std::string(Traits::Bias == BlockAttentionBiasEnum::ALIBI ? "alibi" : "nbias") +
           (masked ? "_mask" : "_nmask");
}
} // namespace detail

template <typename Pipeline_, typename Epilogue_>
struct FmhaFwdKernel
{
    using Problem = typename Pipeline_::Problem;
    using Shape   = typename Problem::Shape;
    static constexpr index_t kBlockPerCu = 1;

    struct Kargs
    {
        score_params scores;
        index_t hdim_v, nhead_ratio_qk;
        tensor_view<const typename Problem::Q> q;
        tensor_view<const typename Problem::K> k;
        tensor_view<const typename Problem::V> v;
        tensor_view<typename Problem::O> o;
        tensor_view<float> lse; // one column
    };

    static constexpr dim3 BlockSize() { return dim3(64); }
    static dim3 GridSize(index_t batch, index_t nhead, index_t seqlen_q)
    {
        return dim3(integer_divide_ceil(seqlen_q, Shape::kM0), nhead, batch);
    }
    static std::string GetName()
    {
        return "fmha_fwd_d" + std::to_string(Problem::kHeadDim) + "_" + type_name<typename Problem::Q>() + "_batch_" +
               Shape::name() + "_qr_vr_npad_" +
               detail::bias_and_mask_name<typename Problem::Traits>(Problem::Mask::IsMasking) +
               (Problem::Traits::kStoreLSE ? "_lse" : "_nlse");
    }

    static void run(const Kargs& a, index_t block, index_t head, index_t batch)
    {
        const float slope = alibi_slope<Problem::Traits::Bias>(a.scores, batch, head);
        const index_t end = std::min((block + 1) * Shape::kM0, a.scores.seqlen_q);
        for(index_t i = block * Shape::kM0; i < end; i++)
        {
            typename Pipeline_::row_result r;
            Pipeline_::run(r, a.scores, slope, a.q.row(batch, head, i), a.k, a.v, a.hdim_v, batch,
                           head / a.nhead_ratio_qk, i, 0, a.scores.seqlen_k);
            Epilogue_::store(a.o.row(batch, head, i), r.o, a.hdim_v);
            if constexpr(Problem::Traits::kStoreLSE)
                *a.lse.row(batch, head, i) = r.lse;
        }
    }
};

// Each split of the keys leaves its own normalised output and lse behind, for the combine kernel.
template <typename Pipeline_, typename Epilogue_, bool kHasUnevenSplits_>
struct FmhaFwdSplitKVKernel
{
    using Problem = typename Pipeline_::Problem;
    using Shape   = typename Problem::Shape;
    static constexpr index_t kBlockPerCu = 1;

    struct Kargs
    {
        score_params scores;
        index_t hdim_v, nhead_ratio_qk, num_splits;
        tensor_view<const typename Problem::Q> q;
        tensor_view<const typename Problem::K> k;
        tensor_view<const typename Problem::V> v;
        tensor_view<float> o_acc, lse_acc; // of split 0
        long_index_t split_stride_o_acc, split_stride_lse_acc;
    };

    static constexpr dim3 BlockSize() { return dim3(64); }
    static dim3 GridSize(index_t batch, index_t nhead, index_t seqlen_q, index_t num_splits)
    {
        return dim3(integer_divide_ceil(seqlen_q, Shape::kM0) * num_splits, nhead, batch);
    }
    static std::string GetName()
    {
        return "fmha_fwd_splitkv_d" + std::to_string(Problem::kHeadDim) + "_" + type_name<typename Problem::Q>() +
               "_batch_" + Shape::name() + "_qr_vr_npad_" +
               detail::bias_and_mask_name<typename Problem::Traits>(Problem::Mask::IsMasking);
    }

    static void run(const Kargs& a, index_t block, index_t head, index_t batch)
    {
        const index_t split = block % a.num_splits, m0 = block / a.num_splits * Shape::kM0;
        index_t length = a.scores.seqlen_k / a.num_splits;
        if constexpr(kHasUnevenSplits_)
            length = integer_divide_ceil(a.scores.seqlen_k, a.num_splits);
        const index_t begin = std::min(split * length, a.scores.seqlen_k);
        const index_t end   = std::min(begin + length, a.scores.seqlen_k);
        for(index_t i = m0; i < std::min(m0 + Shape::kM0, a.scores.seqlen_q); i++)
        {
            typename Pipeline_::row_result r;
            Pipeline_::run(r, a.scores, 0, a.q.row(batch, head, i), a.k, a.v, a.hdim_v, batch,
                           head / a.nhead_ratio_qk, i, begin, end);
            Epilogue_::store(a.o_acc.row(batch, head, i) + split * a.split_stride_o_acc, r.o, a.hdim_v);
            a.lse_acc.row(batch, head, i)[split * a.split_stride_lse_acc] = r.lse;
        }
    }
};

template <typename Epilogue_, typename QDataType_, index_t kHeadDim_, index_t kM0_, index_t kLogMaxSplits_,
          bool kStoreLSE_>
struct FmhaFwdSplitKVCombineKernel
{
    static constexpr index_t kBlockPerCu = 1;

    struct Kargs
    {
        index_t seqlen_q, hdim_v, num_splits;
        tensor_view<const float> o_acc, lse_acc;
        long_index_t split_stride_o_acc, split_stride_lse_acc;
        tensor_view<typename Epilogue_::O> o;
        tensor_view<float> lse;
    };

    static constexpr dim3 BlockSize() { return dim3(64); }
    static dim3 GridSize(index_t batch, index_t nhead, index_t seqlen_q)
    {
        return dim3(integer_divide_ceil(seqlen_q, kM0_), nhead, batch);
    }
    static std::string GetName()
    {
        return "fmha_fwd_splitkv_combine_d" + std::to_string(kHeadDim_) + "_" + type_name<QDataType_>() + "_batch_b" +
               std::to_string(kM0_) + (kStoreLSE_ ? "_lse" : "_nlse");
    }

    static void run(const Kargs& a, index_t block, index_t head, index_t batch)
    {
        for(index_t i = block * kM0_; i < std::min((block + 1) * kM0_, a.seqlen_q); i++)
        {
            const float* o_acc = a.o_acc.row(batch, head, i);
            const float* lse   = a.lse_acc.row(batch, head, i);
            float weight[1 << kLogMaxSplits_];
            float m = minus_infinity, l = 0;
            for(index_t s = 0; s < a.num_splits; s++)
                m = std::max(m, lse[s * a.split_stride_lse_acc]);
            for(index_t s = 0; s < a.num_splits; s++)
            {
                weight[s] = m == minus_infinity ? 0.f : softmax_exp(lse[s * a.split_stride_lse_acc] - m);
                l += weight[s];
            }
            float o[kHeadDim_];
            for(index_t d = 0; d < a.hdim_v; d++)
            {
                float sum = 0;
                for(index_t s = 0; s < a.num_splits; s++)
                    sum += weight[s] * o_acc[s * a.split_stride_o_acc + d];
                o[d] = l > 0 ? sum / l : 0.f;
            }
            Epilogue_::store(a.o.row(batch, head, i), o, a.hdim_v);
            if constexpr(kStoreLSE_)
                *a.lse.row(batch, head, i) = l > 0 ? m + std::log(l) : minus_infinity;
        }
    }
};

} // namespace ck_tile
