// What callers, blobs and the dispatcher share: traits, arguments, the launcher.
//
//     fmha_bwd_launcher launcher(traits);              // chooses the kernels; their blobs are compiled here
//     ck_tile::DeviceMem ws(launcher.workspace_size);
//     launcher.prepare_workspace(ws.GetDeviceBuffer());
//     launcher(args, stream_config);                   // args.workspace_ptr = ws.GetDeviceBuffer()
//
// or on a stream, which may be captured, with lengths that only the device knows (traits.workspace):
//
//     launcher.prepare_workspace_async(ws.GetDeviceBuffer(), seqstart_q, seqstart_k, stream_config);
#pragma once

#include "ck_tile/fmha_bwd_kernel.hpp"

#include <functional>
#include <iostream>
#include <tuple>

enum class mask_enum
{
    no_mask = 0,
    mask_top_left,     // windows are counted from the first query and key
    mask_bottom_right, // from the last ones
    window_generic,    // from the first ones
};
// Who computes the head of the workspace, and when.
enum class workspace_enum
{
    exact = 0, // the launcher, when it is made
    callback,  // a function of the host, called on the stream
    device,    // a kernel on the stream
};
enum class bias_enum
{
    no_bias = 0,
    elementwise_bias,
    alibi,
};

struct FmhaBwdFp32
{
};
struct FmhaBwdBf16
{
};
template <typename DataType>
struct FmhaBwdTypeConfig;
template <>
struct FmhaBwdTypeConfig<FmhaBwdFp32>
{
    using DataType = float;
};
template <>
struct FmhaBwdTypeConfig<FmhaBwdBf16>
{
    using DataType = ck_tile::bf16_t;
};

// ---- what to do -----------------------------------------------------------------------------------------------------

// What a launcher is made for.
struct fmha_bwd_traits
{
    int seqlen_q;
    int seqlen_k;
    int batch;
    int max_seqlen_q; // the longest physical length, in batch mode seqlen_q
    int max_seqlen_k;
    int hdim_q;
    int hdim_v;
    int nhead_q;
    int nhead_k;
    std::string data_type;
    bool is_group_mode;
    mask_enum mask_type;
    bias_enum bias_type;
    bool has_dbias;
    bool has_dropout;
    bool is_store_randval;
    bool is_deterministic;
    // Group mode: cumulative physical lengths (with padding) in host memory, batch + 1 of them. They are read while the
    // launcher is made, and not kept. Batch mode, and where the workspace is not exact: nullptr.
    const int* seqstart_qs = nullptr;
    const int* seqstart_ks = nullptr;
    workspace_enum workspace = workspace_enum::exact;
};

// One call. Strides are in elements; in group mode batch strides count for nothing, and row 0 is that of the first sequence.
struct fmha_bwd_args
{
    const void *q_ptr, *k_ptr, *v_ptr, *o_ptr;
    const float* lse_ptr;
    const void* do_ptr;
    float* d_ptr; // filled in by dot_do_o; strides of lse
    void *dq_ptr, *dk_ptr, *dv_ptr;

    // group mode: in the memory of the device
    const int *seqstart_q_ptr, *seqstart_k_ptr; // cumulative physical lengths, batch + 1
    const int *seqlen_q_ptr, *seqlen_k_ptr;     // logical lengths, batch; nullptr: the physical ones

    ck_tile::index_t seqlen_q, seqlen_k, batch, max_seqlen_q, max_seqlen_k, hdim_q, hdim_v, nhead_q, nhead_k;
    float scale;

    ck_tile::index_t stride_q, stride_k, stride_v, stride_o, stride_do, stride_dq, stride_dk, stride_dv;
    ck_tile::index_t nhead_stride_q, nhead_stride_k, nhead_stride_v, nhead_stride_o, nhead_stride_do, nhead_stride_lsed;
    ck_tile::index_t nhead_stride_dq, nhead_stride_dk, nhead_stride_dv;
    ck_tile::index_t batch_stride_q, batch_stride_k, batch_stride_v, batch_stride_o, batch_stride_do, batch_stride_lsed;
    ck_tile::index_t batch_stride_dq, batch_stride_dk, batch_stride_dv;

    ck_tile::index_t window_size_left, window_size_right; // below 0: no bound
    mask_enum mask_type;

    void* workspace_ptr; // prepared, or nullptr where workspace_size is 0
};

// ---- from arguments to a kernel's own -------------------------------------------------------------------------------

// Throws where the arguments would lead a kernel outside of its tensors.
template <bool kIsGroupMode>
ck_tile::FmhaBwdSequences fmha_bwd_sequences(const fmha_bwd_args& a, ck_tile::index_t max_seqlen_q)
{
    const auto refuse = [](const std::string& why) { throw std::invalid_argument("fmha_bwd: " + why); };
    const ck_tile::FmhaBwdSequences sequences{
        a.batch, a.seqlen_q, a.seqlen_k, a.seqstart_q_ptr, a.seqstart_k_ptr, a.seqlen_q_ptr, a.seqlen_k_ptr};
    if(kIsGroupMode && (a.seqstart_q_ptr == nullptr || a.seqstart_k_ptr == nullptr))
        refuse("seqstart_q_ptr and seqstart_k_ptr must be set in group mode");
    if(a.nhead_k < 1 || a.nhead_q % a.nhead_k != 0)
        refuse("nhead_q " + std::to_string(a.nhead_q) + " is no multiple of nhead_k " + std::to_string(a.nhead_k));
    for(ck_tile::index_t b = 0; b < a.batch; b++)
    {
        const ck_tile::FmhaBwdSequence seq = sequences.at<kIsGroupMode>(b);
        const std::string which            = "sequence " + std::to_string(b) + " has ";
        if(seq.rows_q > max_seqlen_q)
            refuse(which + std::to_string(seq.rows_q) + " queries, more than " + std::to_string(max_seqlen_q));
        if(seq.rows_k > a.max_seqlen_k)
            refuse(which + std::to_string(seq.rows_k) + " keys, more than max_seqlen_k " + std::to_string(a.max_seqlen_k));
        if(seq.seqlen_q > seq.rows_q || seq.seqlen_k > seq.rows_k || seq.seqlen_q < 0 || seq.seqlen_k < 0)
            refuse(which + "a logical length that is not within its physical length");
    }
    return sequences;
}

template <typename Kernel>
auto fmha_bwd_dot_do_o_create_kargs_and_grids(const fmha_bwd_args& a)
{
    using T = typename Kernel::DataType;
    typename Kernel::Kargs kargs{
        fmha_bwd_sequences<Kernel::kIsGroupMode>(a, a.max_seqlen_q),
        a.hdim_v,
        {static_cast<const T*>(a.o_ptr), a.batch_stride_o, a.nhead_stride_o, a.stride_o},
        {static_cast<const T*>(a.do_ptr), a.batch_stride_do, a.nhead_stride_do, a.stride_do},
        {a.d_ptr, a.batch_stride_lsed, a.nhead_stride_lsed, 1}};
    return std::make_tuple(kargs, Kernel::GridSize(a.batch, a.nhead_q, a.max_seqlen_q));
}

template <typename Kernel>
auto fmha_bwd_dq_dk_dv_create_kargs_and_grids(const fmha_bwd_args& a)
{
    using T = typename Kernel::DataType;
    if(!Kernel::kUseQrQtrDorPipeline && a.workspace_ptr == nullptr)
        throw std::invalid_argument("fmha_bwd: workspace_ptr is null, and this kernel needs a workspace");
    typename Kernel::Kargs kargs{
        fmha_bwd_sequences<Kernel::kIsGroupMode>(a, Kernel::kUseQrQtrDorPipeline ? Kernel::kMaxSeqLenQ : a.max_seqlen_q),
        a.nhead_q,
        a.nhead_q / a.nhead_k,
        a.hdim_q,
        a.hdim_v,
        ck_tile::get_num_cus(),
        a.scale,
        a.window_size_left,
        a.window_size_right,
        a.mask_type == mask_enum::mask_bottom_right,
        {static_cast<const T*>(a.q_ptr), a.batch_stride_q, a.nhead_stride_q, a.stride_q},
        {static_cast<const T*>(a.k_ptr), a.batch_stride_k, a.nhead_stride_k, a.stride_k},
        {static_cast<const T*>(a.v_ptr), a.batch_stride_v, a.nhead_stride_v, a.stride_v},
        {static_cast<const T*>(a.do_ptr), a.batch_stride_do, a.nhead_stride_do, a.stride_do},
        {a.lse_ptr, a.batch_stride_lsed, a.nhead_stride_lsed, 1},
        {a.d_ptr, a.batch_stride_lsed, a.nhead_stride_lsed, 1},
        a.workspace_ptr == nullptr ? typename Kernel::DqAcc{} : typename Kernel::DqAcc(a.workspace_ptr, a.batch),
        {static_cast<T*>(a.dq_ptr), a.batch_stride_dq, a.nhead_stride_dq, a.stride_dq},
        {static_cast<T*>(a.dk_ptr), a.batch_stride_dk, a.nhead_stride_dk, a.stride_dk},
        {static_cast<T*>(a.dv_ptr), a.batch_stride_dv, a.nhead_stride_dv, a.stride_dv}};
    return std::make_tuple(kargs, Kernel::GridSize(a.batch, a.nhead_q, a.max_seqlen_k));
}

template <typename Kernel>
auto fmha_bwd_convert_dq_create_kargs_and_grids(const fmha_bwd_args& a)
{
    using T = typename Kernel::DataType;
    typename Kernel::Kargs kargs{fmha_bwd_sequences<Kernel::kIsGroupMode>(a, a.max_seqlen_q),
                                 a.nhead_q,
                                 a.hdim_q,
                                 typename Kernel::DqAcc(a.workspace_ptr, a.batch),
                                 {static_cast<T*>(a.dq_ptr), a.batch_stride_dq, a.nhead_stride_dq, a.stride_dq}};
    return std::make_tuple(kargs, Kernel::GridSize(a.batch, a.nhead_q, a.max_seqlen_q));
}

// ---- what the blobs define: one type of traits for each, and the architecture that it is made for -------------------

template <ck_tile::index_t HDim_, typename DataType_, bool kIsGroupMode_>
struct fmha_bwd_dot_do_o_traits_
{
};
template <ck_tile::index_t HDim_, typename DataType_, bool kIsGroupMode_, typename FmhaMask_, bool kIsDeterministic_,
          ck_tile::index_t MaxSeqLenQ_, ck_tile::index_t kN0>
struct fmha_bwd_dq_dk_dv_traits_
{
};
template <ck_tile::index_t HDim_, typename DataType_, bool kIsGroupMode_, bool kIsDeterministic_>
struct fmha_bwd_convert_dq_traits_
{
};

template <typename Traits_, typename Arch>
void fmha_bwd_dot_do_o_oneshot_(const ck_tile::stream_config&, fmha_bwd_args);
template <typename Traits_, typename Arch>
std::string fmha_bwd_dot_do_o_get_name_();

template <typename Traits_, typename Arch>
void fmha_bwd_dq_dk_dv_oneshot_(const ck_tile::stream_config&, fmha_bwd_args);
template <typename Traits_, typename Arch>
std::string fmha_bwd_dq_dk_dv_get_name_();
template <typename Traits_, typename Arch>
size_t fmha_bwd_dq_dk_dv_ws_host_size_(int batch);
// At least what dq_acc takes, with total_seqlen_q rows of queries in all sequences.
template <typename Traits_, typename Arch>
size_t fmha_bwd_dq_dk_dv_ws_device_upper_bound_(int batch, int hdim_q, int nhead_q, int total_seqlen_q, int max_seqlen_k);
template <typename Traits_, typename Arch>
bool fmha_bwd_dq_dk_dv_needs_zero_dq_acc_();
template <typename Traits_, typename Arch>
size_t fmha_bwd_dq_dk_dv_prepare_ws_host_(void* ws_host, int batch, int hdim_q, int nhead_q, int seqlen_q, int seqlen_k,
                                          int num_cus, const int* seqstart_qs, const int* seqstart_ks);
template <typename Traits_, typename Arch>
void fmha_bwd_dq_dk_dv_prepare_ws_device_(void* device_ws, const void* ws_host, size_t host_ws_size, size_t device_ws_size);
// Launches a kernel that writes the head of the workspace.
template <typename Traits_, typename Arch>
void fmha_bwd_dq_dk_dv_prepare_ws_async_(void* device_ws, int batch, int hdim_q, int nhead_q, int seqlen_q, int seqlen_k,
                                         int num_cus, const int* seqstart_qs, const int* seqstart_ks,
                                         const ck_tile::stream_config& s);

template <typename Traits_, typename Arch>
void fmha_bwd_convert_dq_oneshot_(const ck_tile::stream_config&, fmha_bwd_args);
template <typename Traits_, typename Arch>
std::string fmha_bwd_convert_dq_get_name_();

// ---- the launcher ---------------------------------------------------------------------------------------------------

// The names of the kernels that a launcher has chosen. T2 is void where dq_dk_dv writes dq itself.
template <typename T0 /*dot_do_o*/, typename T1 /*dq_dk_dv*/, typename T2 /*convert_dq*/, typename Arch>
std::string fmha_bwd_names_()
{
    if constexpr(!std::is_same_v<T2, void>)
        return fmha_bwd_dot_do_o_get_name_<T0, Arch>() + "@" + fmha_bwd_convert_dq_get_name_<T2, Arch>() + "@" +
               fmha_bwd_dq_dk_dv_get_name_<T1, Arch>();
    else
        return fmha_bwd_dot_do_o_get_name_<T0, Arch>() + "@" + fmha_bwd_dq_dk_dv_get_name_<T1, Arch>();
}

// Runs them.
template <typename T0, typename T1, typename T2, typename Arch>
float fmha_bwd_(const ck_tile::stream_config& s, fmha_bwd_args a)
{
    if constexpr(!std::is_same_v<T2, void>)
        return ck_tile::launch_kernel(
            s,
            [=](const ck_tile::stream_config& s_) { fmha_bwd_dot_do_o_oneshot_<T0, Arch>(s_, a); },
            [=](const ck_tile::stream_config& s_) { fmha_bwd_dq_dk_dv_oneshot_<T1, Arch>(s_, a); },
            [=](const ck_tile::stream_config& s_) { fmha_bwd_convert_dq_oneshot_<T2, Arch>(s_, a); });
    else
        return ck_tile::launch_kernel(
            s,
            [=](const ck_tile::stream_config& s_) { fmha_bwd_dot_do_o_oneshot_<T0, Arch>(s_, a); },
            [=](const ck_tile::stream_config& s_) { fmha_bwd_dq_dk_dv_oneshot_<T1, Arch>(s_, a); });
}

struct fmha_bwd_launcher
{
    // Returns the time in ms, 0 where it was not asked for, or -1 where no kernel matches.
    std::function<float(fmha_bwd_args, const ck_tile::stream_config&)> run{
        [](fmha_bwd_args, const ck_tile::stream_config&) {
            std::cerr << "fmha_bwd_launcher: no kernel matches these traits, nothing was run" << std::endl;
            return -1.f;
        }};

    // In bytes. 0 where no kernel matches, or where dq is written directly. An upper bound unless traits.workspace is exact.
    size_t workspace_size = 0;

    // Copies nsplits and offsets to the head of device_ws, and zeroes dq_acc behind them if required. device_ws has at
    // least workspace_size bytes and is 16-byte aligned. For workspace_enum::exact.
    std::function<void(void* device_ws)> prepare_workspace{[](void*) {
        std::cerr << "fmha_bwd_launcher: no kernel matches these traits, no workspace was prepared" << std::endl;
    }};

    // The same on s.stream_id_, for the other two. seqstart_q and seqstart_k are for group mode, in the device's memory,
    // and are read when the stream gets there. callback: the head is computed in memory of pinned_host_alloc, which the
    // launcher keeps; so it is to live as long as the work on the stream, or a graph of it.
    void prepare_workspace_async(void* device_ws, const int* seqstart_q, const int* seqstart_k,
                                 const ck_tile::stream_config& s,
                                 const std::function<std::shared_ptr<void>(size_t)>& pinned_host_alloc = {})
    {
        if(kernels.empty() || traits_.workspace == workspace_enum::exact)
            return prepare_workspace(device_ws);
        if(workspace_size == 0)
            return;
        check_workspace(device_ws);
        if(traits_.is_group_mode && (seqstart_q == nullptr || seqstart_k == nullptr))
            throw std::invalid_argument("prepare_workspace_async: seqstart_q and seqstart_k must be set in group mode");
        if(needs_zero_dq_acc)
            ck_tile::memset_async(static_cast<char*>(device_ws) + host_ws_size, 0, device_ws_size, s.stream_id_);
        if(traits_.workspace == workspace_enum::device)
            return prepare_ws_async_func_(device_ws, traits_.batch, traits_.hdim_q, traits_.nhead_q, traits_.seqlen_q,
                                          traits_.seqlen_k, num_cus, seqstart_q, seqstart_k, s);
        if(!pinned_host_alloc)
            throw std::invalid_argument("prepare_workspace_async: pinned_host_alloc must be set");

        // In the pinned memory: what the callback needs, the lengths, and the head that it computes.
        const size_t lengths = traits_.is_group_mode ? sizeof(int) * (size_t(traits_.batch) + 1) : 0;
        const size_t begin   = ck_tile::integer_least_multiple(sizeof(packing), 16);
        const size_t behind  = begin + ck_tile::integer_least_multiple(2 * lengths, 16);
        staging.push_back(pinned_host_alloc(behind + host_ws_size));
        char* pinned  = static_cast<char*>(staging.back().get());
        int *starts_q = nullptr, *starts_k = nullptr;
        if(traits_.is_group_mode)
        {
            starts_q = reinterpret_cast<int*>(pinned + begin);
            starts_k = reinterpret_cast<int*>(pinned + begin + lengths);
            ck_tile::memcpy_async(starts_q, seqstart_q, lengths, s.stream_id_);
            ck_tile::memcpy_async(starts_k, seqstart_k, lengths, s.stream_id_);
        }
        new(pinned) packing{prepare_ws_func_, pinned + behind,  host_ws_size,     traits_.batch, traits_.hdim_q, traits_.nhead_q,
                            traits_.seqlen_q, traits_.seqlen_k, num_cus,          starts_q,      starts_k};
        ck_tile::host_function_async(&packing::run, pinned, s.stream_id_);
        ck_tile::memcpy_async(device_ws, pinned + behind, host_ws_size, s.stream_id_);
    }

    // What was chosen, dot_do_o@convert_dq@dq_dk_dv. Empty: nothing.
    std::string kernels;

    fmha_bwd_launcher(const fmha_bwd_traits&);
    fmha_bwd_launcher(const fmha_bwd_launcher&)            = delete; // prepare_workspace points to this
    fmha_bwd_launcher& operator=(const fmha_bwd_launcher&) = delete;

    template <typename... Args>
    float operator()(Args&&... args) const
    {
        return run(std::forward<Args>(args)...);
    }

private:
    using prepare_ws_func = size_t (*)(void*, int, int, int, int, int, int, const int*, const int*);
    using prepare_ws_async_func =
        void (*)(void*, int, int, int, int, int, int, const int*, const int*, const ck_tile::stream_config&);

    // What the callback of a stream is given. It may run more than once, by a graph.
    struct packing
    {
        prepare_ws_func func;
        void* ws_host;
        size_t host_ws_size;
        int batch, hdim_q, nhead_q, seqlen_q, seqlen_k, num_cus;
        const int *seqstart_qs, *seqstart_ks;

        // No exception leaves it, for a thread of the GPU's runtime calls it. Without nsplits, dq is zero.
        static void run(void* given)
        {
            const packing& p = *static_cast<packing*>(given);
            try
            {
                p.func(p.ws_host, p.batch, p.hdim_q, p.nhead_q, p.seqlen_q, p.seqlen_k, p.num_cus, p.seqstart_qs,
                       p.seqstart_ks);
            }
            catch(const std::exception& e)
            {
                std::memset(p.ws_host, 0, p.host_ws_size);
                std::cerr << "fmha_bwd_launcher: the workspace was not prepared: " << e.what() << std::endl;
            }
        }
    };

    fmha_bwd_traits traits_{};
    int num_cus           = 0; // a callback is not to ask the GPU's runtime
    size_t host_ws_size   = 0; // nsplits and offsets
    size_t device_ws_size = 0; // dq_acc
    std::unique_ptr<char[]> ws_host;
    std::vector<std::shared_ptr<void>> staging;
    bool needs_zero_dq_acc = false;
    prepare_ws_func prepare_ws_func_             = nullptr;
    prepare_ws_async_func prepare_ws_async_func_ = nullptr;

    void check_workspace(const void* device_ws) const
    {
        if(workspace_size != 0 && (device_ws == nullptr || reinterpret_cast<uintptr_t>(device_ws) % 16 != 0))
            throw std::invalid_argument("prepare_workspace: expected 16-byte aligned memory of " +
                                        std::to_string(workspace_size) + " bytes");
    }

    static void check(const fmha_bwd_traits& t)
    {
        const auto refuse = [](const std::string& why) { throw std::invalid_argument("fmha_bwd_traits: " + why); };
        for(const auto& [name, value] : {std::pair{"batch", t.batch}, {"seqlen_q", t.seqlen_q}, {"seqlen_k", t.seqlen_k},
                                         {"hdim_q", t.hdim_q}, {"hdim_v", t.hdim_v}, {"nhead_q", t.nhead_q}})
            if(value < 0)
                refuse(std::string(name) + " is " + std::to_string(value));
        if(!t.is_group_mode || t.workspace != workspace_enum::exact)
            return;
        for(const auto& [name, starts] : {std::pair{"seqstart_qs", t.seqstart_qs}, {"seqstart_ks", t.seqstart_ks}})
        {
            if(starts == nullptr)
                refuse(std::string(name) + " must be set in group mode");
            for(int i = 0; i <= t.batch; i++)
                if(starts[i] < (i == 0 ? 0 : starts[i - 1]))
                    refuse(std::string(name) + "[" + std::to_string(i) + "] is " + std::to_string(starts[i]) +
                           ", less than what stands before it");
        }
    }

public:
    // Called by the dispatcher for the kernels that it has chosen. This is where their blobs are used first.
    template <typename T0, typename T1, typename T2, typename Arch>
    void init(const fmha_bwd_traits& traits)
    {
        check(traits);
        traits_      = traits;
        num_cus      = ck_tile::get_num_cus();
        kernels      = fmha_bwd_names_<T0, T1, T2, Arch>();
        run          = [](fmha_bwd_args a, const ck_tile::stream_config& s) { return fmha_bwd_<T0, T1, T2, Arch>(s, a); };
        host_ws_size = fmha_bwd_dq_dk_dv_ws_host_size_<T1, Arch>(traits.batch);
        if(traits.workspace == workspace_enum::exact)
        {
            ws_host        = std::make_unique<char[]>(host_ws_size);
            device_ws_size = fmha_bwd_dq_dk_dv_prepare_ws_host_<T1, Arch>(ws_host.get(), traits.batch, traits.hdim_q,
                                                                          traits.nhead_q, traits.seqlen_q, traits.seqlen_k,
                                                                          num_cus, traits.seqstart_qs, traits.seqstart_ks);
        }
        else
        {
            // In group mode seqlen_q is that of all sequences.
            device_ws_size = fmha_bwd_dq_dk_dv_ws_device_upper_bound_<T1, Arch>(
                traits.batch, traits.hdim_q, traits.nhead_q,
                traits.is_group_mode ? traits.seqlen_q : traits.batch * traits.seqlen_q, traits.max_seqlen_k);
            needs_zero_dq_acc      = fmha_bwd_dq_dk_dv_needs_zero_dq_acc_<T1, Arch>();
            prepare_ws_func_       = &fmha_bwd_dq_dk_dv_prepare_ws_host_<T1, Arch>;
            prepare_ws_async_func_ = &fmha_bwd_dq_dk_dv_prepare_ws_async_<T1, Arch>;
        }
        workspace_size    = host_ws_size + device_ws_size;
        prepare_workspace = [this](void* device_ws) {
            if(traits_.workspace != workspace_enum::exact)
                throw std::invalid_argument("prepare_workspace: this one is prepared by prepare_workspace_async");
            check_workspace(device_ws);
            fmha_bwd_dq_dk_dv_prepare_ws_device_<T1, Arch>(device_ws, ws_host.get(), host_ws_size, device_ws_size);
        };
    }
};
