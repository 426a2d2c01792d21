// Backward attention in CK's three steps: d = sum(o * do); dq_acc, dk, dv by blocks of keys; dq = sum of dq_acc.
#pragma once

#include "ck_tile/ops/fmha_fwd.hpp"

#include <vector>

namespace ck_tile {

namespace detail {
template <typename Arch>
std::string arch_suffix()
{
    if constexpr(std::is_same_v<Arch, void>)
        return "";
    else
        return std::string("_") + Arch::name;
}
} // namespace detail

template <typename O_, typename OGrad_, index_t kBlockSize_, index_t kHeadDim_>
struct BlockFmhaBwdOGradDotOPipelineProblem
{
    using O     = O_;
    using OGrad = OGrad_;
    static constexpr index_t kBlockSize = kBlockSize_;
    static constexpr index_t kHeadDim   = kHeadDim_;
};

template <typename Problem_, typename Arch = void>
struct FmhaBwdOGradDotOKernel
{
    static constexpr index_t kBlockPerCu = 2;

    struct Kargs
    {
        index_t seqlen_q, hdim_v;
        tensor_view<const typename Problem_::O> o;
        tensor_view<const typename Problem_::OGrad> do_;
        tensor_view<float> d;
    };

    static constexpr dim3 BlockSize() { return dim3(Problem_::kBlockSize); }
    static dim3 GridSize(index_t batch, index_t nhead, index_t seqlen_q)
    {
        return dim3(integer_divide_ceil(seqlen_q, Problem_::kBlockSize), nhead, batch);
    }
    static std::string GetName()
    {
        return "fmha_bwd_dot_do_o_d" + std::to_string(Problem_::kHeadDim) + "_" + type_name<typename Problem_::O>() +
               "_batch_o2_npad" + detail::arch_suffix<Arch>();
    }

    static void run(const Kargs& a, index_t block, index_t head, index_t batch)
    {
        const index_t end = std::min((block + 1) * Problem_::kBlockSize, a.seqlen_q);
        for(index_t i = block * Problem_::kBlockSize; i < end; i++)
        {
            const auto* o   = a.o.row(batch, head, i);
            const auto* do_ = a.do_.row(batch, head, i);
            float sum       = 0;
            for(index_t d = 0; d < a.hdim_v; d++)
                sum += type_convert<float>(o[d]) * type_convert<float>(do_[d]);
            *a.d.row(batch, head, i) = sum;
        }
    }
};

template <typename BlockTile_>
struct TileFmhaBwdShape
{
    static constexpr index_t kM0 = BlockTile_::at(0); // query rows of a tile
    static constexpr index_t kN0 = BlockTile_::at(1); // keys that a block owns
};

template <typename T_, index_t kHeadDim_, typename Shape_, typename Mask_, BlockAttentionBiasEnum Bias_,
          bool kIsDeterministic_>
struct BlockFmhaBwdPipelineProblem
{
    using T     = T_; // of q, k, v, do and their gradients
    using Shape = Shape_;
    using Mask  = Mask_;
    static constexpr auto Bias             = Bias_;
    static constexpr index_t kHeadDim      = kHeadDim_;
    static constexpr bool kIsDeterministic = kIsDeterministic_;
};

// A pipeline is a problem and the way in which dq is gathered.
template <typename Problem_>
struct BlockFmhaBwdDQDKDVPipelineKRKTRVR
{
    using Problem                   = Problem_;
    static constexpr bool kDirectDq = false;
    static constexpr auto name      = "krktrvr";
};
template <typename Problem_>
struct BlockFmhaBwdDQDKDVPipelineDirectDq
{
    using Problem                   = Problem_;
    static constexpr bool kDirectDq = true;
    static constexpr auto name      = "directdq";
};

// The workspace is nsplits, padded to 16 bytes, then dq_acc as [split][batch][head][seqlen_q][hdim_q] floats.
struct FmhaBwdWorkspace
{
    static constexpr size_t alignment = 16;
    static size_t host_size(index_t /*batch*/) { return alignment; }
    static index_t nsplits(const void* ws) { return *static_cast<const index_t*>(ws); }
    static float* dq_acc(void* ws, index_t batch)
    {
        return reinterpret_cast<float*>(static_cast<char*>(ws) + host_size(batch));
    }
};

template <typename Pipeline_, typename DKEpilogue_, typename DVEpilogue_, typename Arch = void>
struct FmhaBwdDQDKDVKernel
{
    using Problem = typename Pipeline_::Problem;
    using T       = typename Problem::T;
    using Shape   = typename Problem::Shape;
    static constexpr index_t kBlockPerCu = 1;

    struct Kargs
    {
        score_params scores;
        index_t hdim_v;
        tensor_view<const T> q, k, v, do_;
        tensor_view<const float> lse, d;
        tensor_view<float> dq_acc; // of split 0
        long_index_t split_stride_dq_acc;
        tensor_view<T> dq, dk, dv;
    };

    static constexpr dim3 BlockSize() { return dim3(64); }
    static dim3 GridSize(index_t batch, index_t nhead, index_t seqlen_k)
    {
        return dim3(Pipeline_::kDirectDq ? 1 : integer_divide_ceil(seqlen_k, Shape::kN0), nhead, batch);
    }
    static std::string GetName()
    {
        return "fmha_bwd_d" + std::to_string(Problem::kHeadDim) + "_" + type_name<T>() + "_batch_b" +
               std::to_string(Shape::kM0) + "x" + std::to_string(Shape::kN0) + "_" + Pipeline_::name +
               (Problem::Bias == BlockAttentionBiasEnum::ALIBI ? "_alibi" : "_nbias") +
               (Problem::Mask::IsMasking ? "_mask" : "_nmask") +
               (Problem::kIsDeterministic ? "_deterministic" : "_ndeterministic") + detail::arch_suffix<Arch>();
    }

    static index_t GetNumSplits(index_t seqlen_k)
    {
        return Problem::kIsDeterministic ? integer_divide_ceil(seqlen_k, Shape::kN0) : 1;
    }
    static size_t GetWorkspaceHostSize(index_t batch)
    {
        return Pipeline_::kDirectDq ? 0 : FmhaBwdWorkspace::host_size(batch);
    }
    // Fills the host part; returns the bytes of the device part, which follows it.
    static size_t PrepareWorkspaceHost(void* ws, index_t batch, index_t hdim_q, index_t nhead, index_t seqlen_q,
                                       index_t seqlen_k)
    {
        if constexpr(Pipeline_::kDirectDq)
            return 0;
        const index_t nsplits     = GetNumSplits(seqlen_k);
        *static_cast<index_t*>(ws) = nsplits;
        return sizeof(float) * nsplits * batch * nhead * seqlen_q * hdim_q;
    }
    // Blocks add to dq_acc, or skip rows that a mask hides.
    static constexpr bool NeedsZeroDqAcc()
    {
        return !Pipeline_::kDirectDq && (!Problem::kIsDeterministic || Problem::Mask::IsMasking);
    }

    static void run(const Kargs& a, index_t block, index_t head, index_t batch)
    {
        const score_params& p = a.scores;
        if constexpr(Pipeline_::kDirectDq)
        {
            std::vector<float> dq(static_cast<size_t>(p.seqlen_q) * p.hdim);
            const tensor_view<float> own{dq.data(), 0, 0, p.hdim};
            for(index_t j = 0; j < p.seqlen_k; j++)
                run_key(a, own, false, j, head, batch);
            for(index_t i = 0; i < p.seqlen_q; i++)
                DKEpilogue_::store(a.dq.row(batch, head, i), own.row(0, 0, i), p.hdim);
        }
        else
        {
            tensor_view<float> dq_acc = a.dq_acc;
            if constexpr(Problem::kIsDeterministic)
                dq_acc.data += block * a.split_stride_dq_acc;
            const index_t begin = block * Shape::kN0, end = std::min(begin + Shape::kN0, p.seqlen_k);
            for(index_t j = begin; j < end; j++)
                run_key(a, dq_acc, !NeedsZeroDqAcc() && j == begin, j, head, batch);
        }
    }

private:
    // One key against every query row: dk and dv of the key, and its share of dq.
    static void run_key(const Kargs& a, const tensor_view<float>& dq_acc, bool first, index_t j, index_t head,
                        index_t batch)
    {
        const score_params& p = a.scores;
        const float slope     = alibi_slope<Problem::Bias>(p, batch, head);
        const T* k            = a.k.row(batch, head, j);
        const T* v            = a.v.row(batch, head, j);
        float dk[Problem::kHeadDim] = {}, dv[Problem::kHeadDim] = {};
        for(index_t i = 0; i < p.seqlen_q; i++)
        {
            const T* q   = a.q.row(batch, head, i);
            const T* do_ = a.do_.row(batch, head, i);
            float* dq    = dq_acc.row(batch, head, i);
            if(first)
                std::memset(dq, 0, sizeof(float) * p.hdim);
            const float s = score<typename Problem::Mask, Problem::Bias>(p, q, k, slope, i, j);
            if(s == minus_infinity)
                continue;
            const float prob = softmax_exp(s - *a.lse.row(batch, head, i));
            float dp         = 0;
            for(index_t d = 0; d < a.hdim_v; d++)
            {
                const float g = type_convert<float>(do_[d]);
                dp += g * type_convert<float>(v[d]);
                dv[d] += prob * g;
            }
            const float ds = prob * (dp - *a.d.row(batch, head, i)) * p.scale;
            for(index_t d = 0; d < p.hdim; d++)
            {
                dk[d] += ds * type_convert<float>(q[d]);
                dq[d] += ds * type_convert<float>(k[d]);
            }
        }
        DKEpilogue_::store(a.dk.row(batch, head, j), dk, p.hdim);
        DVEpilogue_::store(a.dv.row(batch, head, j), dv, a.hdim_v);
    }
};

template <typename QGrad_, index_t kBlockSize_, index_t kM0_, index_t kHeadDim_, bool kIsDeterministic_>
struct BlockFmhaBwdConvertQGradPipelineProblem
{
    using QGrad = QGrad_;
    static constexpr index_t kBlockSize    = kBlockSize_;
    static constexpr index_t kM0           = kM0_;
    static constexpr index_t kHeadDim      = kHeadDim_;
    static constexpr bool kIsDeterministic = kIsDeterministic_;
};

template <typename Problem_, typename Arch = void>
struct FmhaBwdConvertQGradKernel
{
    static constexpr index_t kBlockPerCu = 2;

    struct Kargs
    {
        index_t seqlen_q, hdim_q, nsplits;
        tensor_view<const float> dq_acc;
        long_index_t split_stride_dq_acc;
        tensor_view<typename Problem_::QGrad> dq;
    };

    static constexpr dim3 BlockSize() { return dim3(Problem_::kBlockSize); }
    static dim3 GridSize(index_t batch, index_t nhead, index_t seqlen_q)
    {
        return dim3(integer_divide_ceil(seqlen_q, Problem_::kM0), nhead, batch);
    }
    static std::string GetName()
    {
        return "fmha_bwd_convert_dq_d" + std::to_string(Problem_::kHeadDim) + "_" +
               type_name<typename Problem_::QGrad>() + "_b" + std::to_string(Problem_::kM0) + "_batch_o2_npad" +
               (Problem_::kIsDeterministic ? "_deterministic" : "_ndeterministic") + detail::arch_suffix<Arch>();
    }

    static void run(const Kargs& a, index_t block, index_t head, index_t batch)
    {
        for(index_t i = block * Problem_::kM0; i < std::min((block + 1) * Problem_::kM0, a.seqlen_q); i++)
        {
            const float* acc = a.dq_acc.row(batch, head, i);
            auto* dq         = a.dq.row(batch, head, i);
            for(index_t d = 0; d < a.hdim_q; d++)
            {
                float sum = acc[d];
                if constexpr(Problem_::kIsDeterministic)
                    for(index_t s = 1; s < a.nsplits; s++)
                        sum += acc[s * a.split_stride_dq_acc + d];
                dq[d] = type_convert<typename Problem_::QGrad>(sum);
            }
        }
    }
};

} // namespace ck_tile
