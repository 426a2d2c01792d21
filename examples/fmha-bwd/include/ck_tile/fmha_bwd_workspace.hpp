// The unified workspace of a backward pass: one piece of memory whose size, layout and preparation are the kernel's own
// business. The caller allocates workspace_size bytes, has them prepared and passes one pointer.
//
//     offset 0             index_t nsplits[N]                 N = batch in deterministic group mode, else 1
//     align_up(4 N, 16)    long_index_t offsets[batch + 1]    deterministic group mode only: where the dq_acc of each
//                                                             sequence begins, in elements; offsets[0] = 0,
//                                                             offsets[i+1] = offsets[i] + nhead * nsplits_i * seqq_i * hdim_q
//     host_ws_size         AccDataType dq_acc[…]              one sequence behind the other, [nhead, nsplits_i, seqq_i, hdim_q]
//
// All above host_ws_size is computed by PrepareWorkspace: on the host, and copied to the head of the workspace, or on the device,
// in place. Each part is padded to 16 bytes, the padding is zero. seqq_i is the physical length of sequence i, with its padding.
#pragma once

#include "ck_tile/core.hpp"

namespace ck_tile {

// One sequence of a batch. What is computed goes by the logical lengths, where it lies by the physical ones.
struct FmhaBwdSequence
{
    index_t seqlen_q, seqlen_k; // logical
    index_t rows_q, rows_k;     // physical
    index_t start_q, start_k;   // the first row; 0 in batch mode, where tensors have a batch stride
};

struct FmhaBwdSequences
{
    index_t batch, seqlen_q, seqlen_k;           // batch mode: all are alike
    const index_t *seqstart_q, *seqstart_k;      // group mode: cumulative physical lengths, batch + 1
    const index_t *seqlen_q_ptr, *seqlen_k_ptr;  // group mode: logical lengths, batch; null: the physical ones

    template <bool kIsGroupMode>
    CK_TILE_HOST_DEVICE FmhaBwdSequence at(index_t b) const
    {
        if constexpr(!kIsGroupMode)
            return {seqlen_q, seqlen_k, seqlen_q, seqlen_k, 0, 0};
        else
        {
            const index_t rows_q = seqstart_q[b + 1] - seqstart_q[b], rows_k = seqstart_k[b + 1] - seqstart_k[b];
            return {seqlen_q_ptr != nullptr ? seqlen_q_ptr[b] : rows_q,
                    seqlen_k_ptr != nullptr ? seqlen_k_ptr[b] : rows_k,
                    rows_q,
                    rows_k,
                    seqstart_q[b],
                    seqstart_k[b]};
        }
    }
};

// Who does what in a persistent kernel: a job is a tile of keys of one head of one sequence, and each worker has an equal
// share of consecutive jobs. A worker adds up what its tiles of one head give for dq; so a head has as many splits as workers.
struct FmhaBwdPersistentSchedule
{
    index_t jobs_per_head;
    long_index_t total_jobs, jobs_per_worker;

    CK_TILE_HOST_DEVICE
    FmhaBwdPersistentSchedule(index_t batch, index_t nhead_q, index_t seqlen_k, index_t n0, index_t workers)
        : jobs_per_head(integer_divide_ceil(seqlen_k, n0)),
          total_jobs(static_cast<long_index_t>(batch) * nhead_q * jobs_per_head),
          jobs_per_worker((total_jobs + workers - 1) / workers)
    {
    }

    // The most workers that a head can have.
    CK_TILE_HOST_DEVICE index_t nsplits() const
    {
        if(total_jobs == 0)
            return 0;
        if(jobs_per_head % jobs_per_worker == 0)
            return static_cast<index_t>(jobs_per_head / jobs_per_worker);
        if(jobs_per_worker % jobs_per_head == 0)
            return 1;
        return static_cast<index_t>(1 + (jobs_per_head - 1 + jobs_per_worker - 1) / jobs_per_worker);
    }
    // Which of its head's workers the worker is.
    CK_TILE_HOST_DEVICE index_t split(index_t worker, long_index_t head) const
    {
        return static_cast<index_t>(worker - head * jobs_per_head / jobs_per_worker);
    }
};

template <typename AccDataType, bool kIsGroupMode, bool kIsDeterministic>
struct FmhaBwdWorkspaceManager
{
    static constexpr size_t ALIGNMENT    = 16;
    static constexpr bool kUsePersistent = kIsDeterministic && !kIsGroupMode;
    static constexpr bool kPerSequence   = kIsDeterministic && kIsGroupMode; // its own nsplits and offset

    // ---- layout, in bytes

    CK_TILE_HOST_DEVICE static size_t GetDqAccSplitsSize(index_t batch)
    {
        return integer_least_multiple(sizeof(index_t) * (kPerSequence ? batch : 1), ALIGNMENT);
    }
    CK_TILE_HOST_DEVICE static size_t GetDqAccOffsetsSize(index_t batch)
    {
        return kPerSequence ? integer_least_multiple(sizeof(long_index_t) * (size_t(batch) + 1), ALIGNMENT) : 0;
    }
    CK_TILE_HOST_DEVICE static size_t GetWorkspaceHostSize(index_t batch)
    {
        return GetDqAccSplitsSize(batch) + GetDqAccOffsetsSize(batch);
    }
    CK_TILE_HOST_DEVICE static size_t GetDqAccSplitsOffset(index_t) { return 0; }
    CK_TILE_HOST_DEVICE static size_t GetDqAccOffsetsOffset(index_t batch) { return GetDqAccSplitsSize(batch); }
    CK_TILE_HOST_DEVICE static size_t GetDqAccDataOffset(index_t batch) { return GetWorkspaceHostSize(batch); }

    // ---- preparation

    // Fills the GetWorkspaceHostSize(batch) bytes at ws. Returns the size of dq_acc in bytes.
    // seqlen_q and seqlen_k are for batch mode, seqstart_qs and seqstart_ks for group mode and read here only.
    template <index_t kN0>
    CK_TILE_HOST_DEVICE static size_t PrepareWorkspace(void* ws,
                                                       index_t batch,
                                                       index_t hdim_q,
                                                       index_t nhead_q,
                                                       index_t seqlen_q,
                                                       index_t seqlen_k,
                                                       index_t num_cus,
                                                       const index_t* seqstart_qs,
                                                       const index_t* seqstart_ks)
    {
        for(size_t i = 0; i < GetWorkspaceHostSize(batch) / sizeof(index_t); i++)
            static_cast<index_t*>(ws)[i] = 0; // the padding
        auto* nsplits = reinterpret_cast<index_t*>(static_cast<char*>(ws) + GetDqAccSplitsOffset(batch));
        auto* offsets = reinterpret_cast<long_index_t*>(static_cast<char*>(ws) + GetDqAccOffsetsOffset(batch));
        const long_index_t row = static_cast<long_index_t>(nhead_q) * hdim_q; // of all heads, in one split
        long_index_t elements  = 0;
        if constexpr(kPerSequence)
        {
            for(index_t i = 0; i < batch; i++)
            {
                nsplits[i] = integer_divide_ceil(seqstart_ks[i + 1] - seqstart_ks[i], kN0);
                offsets[i] = elements;
                elements += row * nsplits[i] * (seqstart_qs[i + 1] - seqstart_qs[i]);
            }
            offsets[batch] = elements;
        }
        else if constexpr(kIsGroupMode)
        {
            nsplits[0] = 1;
            elements   = row * seqstart_qs[batch];
        }
        else
        {
            nsplits[0] = 1;
            if constexpr(kUsePersistent)
                nsplits[0] = FmhaBwdPersistentSchedule(batch, nhead_q, seqlen_k, kN0, num_cus).nsplits();
            elements = row * nsplits[0] * batch * seqlen_q;
        }
        return sizeof(AccDataType) * static_cast<size_t>(elements);
    }

    // At least the size of dq_acc, whatever the lengths of the sequences are. total_seqlen_q: physical rows of all sequences.
    template <index_t kN0>
    static size_t GetDqAccUpperBound(
        index_t batch, index_t hdim_q, index_t nhead_q, index_t total_seqlen_q, index_t max_seqlen_k, index_t num_cus)
    {
        size_t nsplits = 1;
        if constexpr(kPerSequence)
            nsplits = integer_divide_ceil(max_seqlen_k, kN0);
        else if constexpr(kUsePersistent)
            nsplits = FmhaBwdPersistentSchedule(batch, nhead_q, max_seqlen_k, kN0, num_cus).nsplits();
        return sizeof(AccDataType) * nsplits * nhead_q * hdim_q * total_seqlen_q;
    }

    // Blocks that add need zeros. So does a mask, for a block that it hides writes nothing, and its share is summed up all
    // the same. Without one every block of deterministic group mode writes the whole of its share.
    template <bool kHasMask>
    static constexpr bool NeedsZeroDqAcc()
    {
        return kUsePersistent || !kIsDeterministic || kHasMask;
    }

    template <bool kHasMask>
    static void PrepareWorkspaceDevice(void* device_ws, const void* ws_host, size_t host_ws_size, size_t device_ws_size)
    {
        device_memcpy(device_ws, ws_host, host_ws_size);
        if constexpr(NeedsZeroDqAcc<kHasMask>())
            device_memset(static_cast<char*>(device_ws) + host_ws_size, 0, device_ws_size);
    }
};

// dq_acc as a kernel sees it. Size and place of all that stands before it come from the workspace itself, so whoever reads
// it need not know how large the tiles were that wrote it.
template <typename AccDataType, bool kIsGroupMode, bool kIsDeterministic>
struct FmhaBwdDqAcc
{
    using Manager = FmhaBwdWorkspaceManager<AccDataType, kIsGroupMode, kIsDeterministic>;

    const index_t* nsplits_ptr = nullptr;
    const long_index_t* offsets_ptr = nullptr; // deterministic group mode only
    AccDataType* data = nullptr;

    FmhaBwdDqAcc() = default;
    FmhaBwdDqAcc(void* ws, index_t batch)
        : nsplits_ptr(reinterpret_cast<index_t*>(static_cast<char*>(ws) + Manager::GetDqAccSplitsOffset(batch))),
          offsets_ptr(reinterpret_cast<long_index_t*>(static_cast<char*>(ws) + Manager::GetDqAccOffsetsOffset(batch))),
          data(reinterpret_cast<AccDataType*>(static_cast<char*>(ws) + Manager::GetDqAccDataOffset(batch)))
    {
    }

    CK_TILE_HOST_DEVICE index_t nsplits(index_t b) const { return nsplits_ptr[Manager::kPerSequence ? b : 0]; }

    // The first of the seqq_i rows of one split.
    CK_TILE_HOST_DEVICE AccDataType*
    at(const FmhaBwdSequence& seq, index_t b, index_t nhead_q, index_t head, index_t split, index_t hdim_q) const
    {
        long_index_t begin;
        if constexpr(Manager::kPerSequence)
            begin = offsets_ptr[b];
        else if constexpr(kIsGroupMode)
            begin = static_cast<long_index_t>(nhead_q) * seq.start_q * hdim_q;
        else
            begin = static_cast<long_index_t>(b) * nhead_q * nsplits(b) * seq.rows_q * hdim_q;
        return data + begin + (static_cast<long_index_t>(head) * nsplits(b) + split) * seq.rows_q * hdim_q;
    }
};

} // namespace ck_tile
