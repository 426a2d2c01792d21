// Backward attention in three kernels, as in CK:
//
//     dot_do_o      d[i]  = sum(o[i] * do[i])
//     dq_dk_dv      p     = exp(scale * q[i].k[j] - lse[i]),  ds = p * (do[i].v[j] - d[i])
//                   dv[j] = sum_i p * do[i],  dk[j] = scale * sum_i ds * q[i],  dq_acc = scale * sum_j ds * k[j]
//     convert_dq    dq    = the sum of dq_acc over its splits
//
// dk and dv have as many heads as q. With fewer heads in k and v the caller adds up the heads of a group.
#pragma once

#include "ck_tile/fmha_bwd_workspace.hpp"

namespace ck_tile {

// Key j is seen by query i if i + shift - left <= j <= i + shift + right. A window below 0 has no bound on that side.
template <bool IsMasking_>
struct SimplifiedGenericAttentionMask
{
    static constexpr bool IsMasking = IsMasking_;

    index_t left, right, shift, seqlen_k;

    CK_TILE_HOST_DEVICE index_t begin(index_t i) const { return !IsMasking || left < 0 ? 0 : max(0, i + shift - left); }
    CK_TILE_HOST_DEVICE index_t end(index_t i) const
    {
        return !IsMasking || right < 0 ? seqlen_k : min(seqlen_k, i + shift + right + 1);
    }
    // Whether none of the queries [m0, m1) sees one of the keys [n0, n1).
    CK_TILE_HOST_DEVICE bool hides(index_t m0, index_t m1, index_t n0, index_t n1) const
    {
        return m0 >= m1 || end(m1 - 1) <= n0 || begin(m0) >= n1;
    }
};

// Of a block: kM0 queries at a time, kN0 keys. kMaxSeqLenQ is 0 where it does not matter.
template <index_t kM0_, index_t kN0_, index_t kMaxSeqLenQ_>
struct TileFmhaBwdShape
{
    static constexpr index_t kM0 = kM0_, kN0 = kN0_, kMaxSeqLenQ = kMaxSeqLenQ_;
};

template <typename DataType_, index_t kHeadDim_, bool kIsGroupMode_>
struct BlockFmhaBwdOGradDotOPipelineProblem
{
    using DataType = DataType_;
    static constexpr index_t kHeadDim  = kHeadDim_;
    static constexpr bool kIsGroupMode = kIsGroupMode_;
};

template <typename DataType_, index_t kHeadDim_, bool kIsGroupMode_, typename Shape_, typename Mask_, bool kIsDeterministic_>
struct BlockFmhaBwdPipelineProblem
{
    using DataType = DataType_;
    using Shape    = Shape_;
    using Mask     = Mask_;
    static constexpr index_t kHeadDim      = kHeadDim_;
    static constexpr bool kIsGroupMode     = kIsGroupMode_;
    static constexpr bool kIsDeterministic = kIsDeterministic_;
};

template <typename DataType_, index_t kHeadDim_, bool kIsGroupMode_, bool kIsDeterministic_>
struct BlockFmhaBwdConvertQGradPipelineProblem
{
    using DataType = DataType_;
    static constexpr index_t kHeadDim      = kHeadDim_;
    static constexpr bool kIsGroupMode     = kIsGroupMode_;
    static constexpr bool kIsDeterministic = kIsDeterministic_;
};

// How a block gathers dq: over blocks of keys, through dq_acc; or, where few queries fit into one block, all by itself.
template <typename Problem_>
struct BlockFmhaBwdDQDKDVPipelineKRKTRVR
{
    using Problem                              = Problem_;
    static constexpr bool kUseQrQtrDorPipeline = false;
};
template <typename Problem_>
struct BlockFmhaBwdDQDKDVPipelineQrQtrDor
{
    using Problem                              = Problem_;
    static constexpr bool kUseQrQtrDorPipeline = true;
};

// What the kernels' names have in common: they are those of the blobs' sources.
template <typename Problem, typename Arch>
struct FmhaBwdName
{
    static std::string of(const char* step, const std::string& rest)
    {
        return std::string("fmha_bwd_") + step + "d" + std::to_string(Problem::kHeadDim) + "_" +
               type_name<typename Problem::DataType> + (Problem::kIsGroupMode ? "_group" : "_batch") + rest + "_" + Arch::name;
    }
};

// ---- dot_do_o -------------------------------------------------------------------------------------------------------

template <typename Problem, typename Arch>
struct FmhaBwdOGradDotOKernel
{
    using DataType                     = typename Problem::DataType;
    static constexpr bool kIsGroupMode = Problem::kIsGroupMode;
    static constexpr index_t kM0       = 64;

    struct Kargs
    {
        FmhaBwdSequences sequences;
        index_t hdim_v;
        tensor_view<const DataType> o, do_;
        tensor_view<float> d;
    };

    static std::string GetName() { return FmhaBwdName<Problem, Arch>::of("dot_do_o_", ""); }
    static dim3 GridSize(index_t batch, index_t nhead, index_t max_seqlen_q)
    {
        return dim3(integer_divide_ceil(max_seqlen_q, kM0), nhead, batch);
    }

    CK_TILE_HOST_DEVICE void operator()(const Kargs& a, index_t block, index_t head, index_t b) const
    {
        const FmhaBwdSequence seq = a.sequences.template at<kIsGroupMode>(b);
        for(index_t i = block * kM0; i < min((block + 1) * kM0, seq.seqlen_q); i++)
        {
            const DataType* o   = a.o.row(b, head, seq.start_q + i);
            const DataType* do_ = a.do_.row(b, head, seq.start_q + i);
            float sum           = 0;
            for(index_t c = 0; c < a.hdim_v; c++)
                sum += to_float(o[c]) * to_float(do_[c]);
            *a.d.row(b, head, seq.start_q + i) = sum;
        }
    }
};

// ---- dq_dk_dv -------------------------------------------------------------------------------------------------------

template <typename Pipeline, typename Arch>
struct FmhaBwdDQDKDVKernel
{
    using Problem     = typename Pipeline::Problem;
    using DataType    = typename Problem::DataType;
    using AccDataType = float;
    using Shape       = typename Problem::Shape;
    using Mask        = typename Problem::Mask;

    static constexpr bool kIsGroupMode         = Problem::kIsGroupMode;
    static constexpr bool kIsDeterministic     = Problem::kIsDeterministic;
    static constexpr bool kUseQrQtrDorPipeline = Pipeline::kUseQrQtrDorPipeline;
    static constexpr bool kUsePersistent       = kIsDeterministic && !kIsGroupMode && !kUseQrQtrDorPipeline;
    static constexpr bool kHasMask             = Mask::IsMasking;
    static constexpr index_t kMaxSeqLenQ       = Shape::kMaxSeqLenQ;
    static constexpr index_t kHeadDim          = Problem::kHeadDim;
    static_assert(kUseQrQtrDorPipeline == (kMaxSeqLenQ != 0));

    using WorkspaceManager = FmhaBwdWorkspaceManager<AccDataType, kIsGroupMode, kIsDeterministic>;
    using DqAcc            = FmhaBwdDqAcc<AccDataType, kIsGroupMode, kIsDeterministic>;

    struct Kargs
    {
        FmhaBwdSequences sequences;
        index_t nhead_q, nhead_ratio_qk, hdim_q, hdim_v;
        index_t workers; // of a persistent kernel
        float scale;
        index_t window_size_left, window_size_right;
        bool mask_bottom_right;
        tensor_view<const DataType> q, k, v, do_;
        tensor_view<const float> lse, d;
        DqAcc dq_acc; // not with QrQtrDor, which writes dq
        tensor_view<DataType> dq, dk, dv;
    };

    static std::string GetName()
    {
        return FmhaBwdName<Problem, Arch>::of(
            "", "_b" + std::to_string(Shape::kM0) + "x" + std::to_string(Shape::kN0) + "_maxq" + std::to_string(kMaxSeqLenQ) +
                    (kHasMask ? "_mask" : "_nmask") + (kIsDeterministic ? "_deterministic" : "_ndeterministic"));
    }
    static dim3 GridSize(index_t batch, index_t nhead, index_t max_seqlen_k)
    {
        if constexpr(kUsePersistent)
            return dim3(get_num_cus());
        else
            return dim3(kUseQrQtrDorPipeline ? 1 : integer_divide_ceil(max_seqlen_k, Shape::kN0), nhead, batch);
    }

    // ---- the workspace: size of its head, bound of the rest, and its preparation in three ways

    static constexpr bool kNeedsZeroDqAcc =
        !kUseQrQtrDorPipeline && WorkspaceManager::template NeedsZeroDqAcc<kHasMask>();

    static size_t GetWorkspaceHostSize(index_t batch)
    {
        if constexpr(kUseQrQtrDorPipeline)
            return 0;
        else
            return WorkspaceManager::GetWorkspaceHostSize(batch);
    }
    template <typename... Args>
    static size_t GetWorkspaceDeviceUpperBound(Args... args)
    {
        if constexpr(kUseQrQtrDorPipeline)
            return 0;
        else
            return WorkspaceManager::template GetDqAccUpperBound<Shape::kN0>(args..., get_num_cus());
    }
    // Returns the size of dq_acc.
    template <typename... Args>
    static size_t PrepareWorkspaceHost(void* ws_host, Args... args)
    {
        if constexpr(kUseQrQtrDorPipeline)
            return 0;
        else
            return WorkspaceManager::template PrepareWorkspace<Shape::kN0>(ws_host, args...);
    }
    static void PrepareWorkspaceDevice(void* device_ws, const void* ws_host, size_t host_ws_size, size_t device_ws_size)
    {
        if constexpr(!kUseQrQtrDorPipeline)
            WorkspaceManager::template PrepareWorkspaceDevice<kHasMask>(device_ws, ws_host, host_ws_size, device_ws_size);
    }

    // ---- the work of a block

    CK_TILE_HOST_DEVICE void operator()(const Kargs& a, index_t x, index_t head, index_t b) const
    {
        if constexpr(kUsePersistent)
        {
            const FmhaBwdPersistentSchedule schedule(a.sequences.batch, a.nhead_q, a.sequences.seqlen_k, Shape::kN0, a.workers);
            const long_index_t end = min((x + 1) * schedule.jobs_per_worker, schedule.total_jobs);
            for(long_index_t job = x * schedule.jobs_per_worker; job < end; job++)
            {
                const long_index_t of_head = job / schedule.jobs_per_head;
                block_of_keys(a,
                              static_cast<index_t>(job % schedule.jobs_per_head),
                              static_cast<index_t>(of_head % a.nhead_q),
                              static_cast<index_t>(of_head / a.nhead_q),
                              schedule.split(x, of_head));
            }
        }
        else if constexpr(kUseQrQtrDorPipeline)
            all_keys(a, head, b);
        else
            block_of_keys(a, x, head, b, kIsDeterministic ? x : 0);
    }

private:
    static constexpr index_t kM0 = Shape::kM0, kN0 = Shape::kN0;

    // dk and dv of a block's keys.
    struct Gradients
    {
        float dk[kN0][kHeadDim] = {}, dv[kN0][kHeadDim] = {};

        CK_TILE_HOST_DEVICE void
        store(const Kargs& a, const FmhaBwdSequence& seq, index_t n0, index_t head, index_t b) const
        {
            for(index_t j = n0; j < min(n0 + kN0, seq.seqlen_k); j++)
            {
                DataType* dk_row = a.dk.row(b, head, seq.start_k + j);
                DataType* dv_row = a.dv.row(b, head, seq.start_k + j);
                for(index_t c = 0; c < a.hdim_q; c++)
                    dk_row[c] = from_float<DataType>(dk[j - n0][c]);
                for(index_t c = 0; c < a.hdim_v; c++)
                    dv_row[c] = from_float<DataType>(dv[j - n0][c]);
            }
        }
    };

    CK_TILE_HOST_DEVICE static Mask mask_of(const Kargs& a, const FmhaBwdSequence& seq)
    {
        return {a.window_size_left, a.window_size_right, a.mask_bottom_right ? seq.seqlen_k - seq.seqlen_q : 0, seq.seqlen_k};
    }

    // Query i against the keys from n0: adds to their gradients, and to the query's own.
    CK_TILE_HOST_DEVICE static void query(const Kargs& a,
                                          const FmhaBwdSequence& seq,
                                          const Mask& mask,
                                          index_t i,
                                          index_t n0,
                                          index_t head,
                                          index_t b,
                                          Gradients& keys,
                                          float* dq)
    {
        const index_t head_k = head / a.nhead_ratio_qk;
        const DataType* q    = a.q.row(b, head, seq.start_q + i);
        const DataType* do_  = a.do_.row(b, head, seq.start_q + i);
        const float lse      = *a.lse.row(b, head, seq.start_q + i);
        const float d        = *a.d.row(b, head, seq.start_q + i);
        for(index_t j = max(n0, mask.begin(i)); j < min(n0 + kN0, mask.end(i)); j++)
        {
            const DataType* k = a.k.row(b, head_k, seq.start_k + j);
            const DataType* v = a.v.row(b, head_k, seq.start_k + j);
            float s = 0, dp = 0;
            for(index_t c = 0; c < a.hdim_q; c++)
                s += to_float(q[c]) * to_float(k[c]);
            for(index_t c = 0; c < a.hdim_v; c++)
                dp += to_float(do_[c]) * to_float(v[c]);
            const float p  = expf(s * a.scale - lse);
            const float ds = p * (dp - d) * a.scale;
            for(index_t c = 0; c < a.hdim_v; c++)
                keys.dv[j - n0][c] += p * to_float(do_[c]);
            for(index_t c = 0; c < a.hdim_q; c++)
            {
                keys.dk[j - n0][c] += ds * to_float(q[c]);
                dq[c] += ds * to_float(k[c]);
            }
        }
    }

    // The keys of block n against all queries. What they give for dq goes to the split of dq_acc.
    CK_TILE_HOST_DEVICE static void block_of_keys(const Kargs& a, index_t n, index_t head, index_t b, index_t split)
    {
        const FmhaBwdSequence seq = a.sequences.template at<kIsGroupMode>(b);
        const index_t n0          = n * kN0;
        if(n0 >= seq.rows_k) // another sequence is longer
            return;
        const Mask mask = mask_of(a, seq);
        float* dq_acc   = a.dq_acc.at(seq, b, a.nhead_q, head, split, a.hdim_q);
        Gradients keys;
        for(index_t m0 = 0; m0 < seq.rows_q; m0 += kM0)
        {
            if constexpr(kHasMask) // and so dq_acc was zeroed
                if(mask.hides(m0, min(m0 + kM0, seq.seqlen_q), n0, n0 + kN0))
                    continue;
            for(index_t i = m0; i < min(m0 + kM0, seq.rows_q); i++)
            {
                float dq[kHeadDim] = {};
                if(i < seq.seqlen_q)
                    query(a, seq, mask, i, n0, head, b, keys, dq);
                for(index_t c = 0; c < a.hdim_q; c++)
                {
                    float* acc = dq_acc + static_cast<long_index_t>(i) * a.hdim_q + c;
                    if constexpr(WorkspaceManager::kPerSequence)
                        *acc = dq[c]; // padding too: every byte of dq_acc is written
                    else
                        atomic_add(acc, dq[c]);
                }
            }
        }
        keys.store(a, seq, n0, head, b);
    }

    // QrQtrDor: the queries are so few that one block has them all, and dq with them.
    CK_TILE_HOST_DEVICE static void all_keys(const Kargs& a, index_t head, index_t b)
    {
        const FmhaBwdSequence seq = a.sequences.template at<kIsGroupMode>(b);
        const Mask mask           = mask_of(a, seq);
        float dq[kMaxSeqLenQ == 0 ? 1 : kMaxSeqLenQ][kHeadDim] = {};
        for(index_t n0 = 0; n0 < seq.seqlen_k; n0 += kN0)
        {
            Gradients keys;
            for(index_t i = 0; i < seq.seqlen_q; i++)
                query(a, seq, mask, i, n0, head, b, keys, dq[i]);
            keys.store(a, seq, n0, head, b);
        }
        for(index_t i = 0; i < seq.seqlen_q; i++)
        {
            DataType* row = a.dq.row(b, head, seq.start_q + i);
            for(index_t c = 0; c < a.hdim_q; c++)
                row[c] = from_float<DataType>(dq[i][c]);
        }
    }
};

// ---- the head of the workspace, written on the device ---------------------------------------------------------------

// One block. What it computes depends on the tile of dq_dk_dv, so it is a kernel of that one's blob.
template <typename DqDkDv>
struct FmhaBwdPrepareWorkspaceKernel
{
    struct Kargs
    {
        void* ws;
        index_t batch, hdim_q, nhead_q, seqlen_q, seqlen_k, num_cus;
        const index_t *seqstart_qs, *seqstart_ks; // group mode: on the device
    };

    CK_TILE_HOST_DEVICE void operator()(const Kargs& a, index_t, index_t, index_t) const
    {
        if constexpr(!DqDkDv::kUseQrQtrDorPipeline)
            DqDkDv::WorkspaceManager::template PrepareWorkspace<DqDkDv::Shape::kN0>(
                a.ws, a.batch, a.hdim_q, a.nhead_q, a.seqlen_q, a.seqlen_k, a.num_cus, a.seqstart_qs, a.seqstart_ks);
    }
};

// ---- convert_dq -----------------------------------------------------------------------------------------------------

// Knows nothing of the tiles of dq_dk_dv: how many splits there are stands in the workspace.
template <typename Problem, typename Arch>
struct FmhaBwdConvertQGradKernel
{
    using DataType                         = typename Problem::DataType;
    static constexpr bool kIsGroupMode     = Problem::kIsGroupMode;
    static constexpr bool kIsDeterministic = Problem::kIsDeterministic;
    static constexpr index_t kM0           = 64;
    using DqAcc                            = FmhaBwdDqAcc<float, kIsGroupMode, kIsDeterministic>;

    struct Kargs
    {
        FmhaBwdSequences sequences;
        index_t nhead_q, hdim_q;
        DqAcc dq_acc;
        tensor_view<DataType> dq;
    };

    static std::string GetName()
    {
        return FmhaBwdName<Problem, Arch>::of("convert_dq_", kIsDeterministic ? "_deterministic" : "_ndeterministic");
    }
    static dim3 GridSize(index_t batch, index_t nhead, index_t max_seqlen_q)
    {
        return dim3(integer_divide_ceil(max_seqlen_q, kM0), nhead, batch);
    }

    CK_TILE_HOST_DEVICE void operator()(const Kargs& a, index_t block, index_t head, index_t b) const
    {
        const FmhaBwdSequence seq  = a.sequences.template at<kIsGroupMode>(b);
        const index_t nsplits      = a.dq_acc.nsplits(b);
        const float* acc           = a.dq_acc.at(seq, b, a.nhead_q, head, 0, a.hdim_q);
        const long_index_t stride  = static_cast<long_index_t>(seq.rows_q) * a.hdim_q; // from split to split
        for(index_t i = block * kM0; i < min((block + 1) * kM0, seq.seqlen_q); i++)
        {
            DataType* row = a.dq.row(b, head, seq.start_q + i);
            for(index_t c = 0; c < a.hdim_q; c++)
            {
                float sum = 0;
                for(index_t split = 0; split < nsplits; split++)
                    sum += acc[split * stride + static_cast<long_index_t>(i) * a.hdim_q + c];
                row[c] = from_float<DataType>(sum);
            }
        }
    }
};

} // namespace ck_tile
