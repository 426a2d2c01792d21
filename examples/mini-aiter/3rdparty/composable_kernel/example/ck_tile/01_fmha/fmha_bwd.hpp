// What the backward dispatchers and blobs share. There are two ways in: fmha_bwd, whose caller allocates dq_acc, and
// fmha_bwd_launcher, which says how large a workspace its kernel needs and prepares it.
#pragma once

#include "ck_tile/ops/fmha_bwd.hpp"
#include "mask.hpp"
#include "bias.hpp"

#include <cstddef>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

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
    using QDataType     = float;
    using AccDataType   = float;
    using DDataType     = float;
    using ODataType     = float;
    using OGradDataType = float;
    using QGradDataType = float;
    using KGradDataType = float;
    using VGradDataType = float;
};

template <>
struct FmhaBwdTypeConfig<FmhaBwdBf16>
{
    using QDataType     = ck_tile::bf16_t;
    using AccDataType   = float;
    using DDataType     = float;
    using ODataType     = ck_tile::bf16_t;
    using OGradDataType = ck_tile::bf16_t;
    using QGradDataType = ck_tile::bf16_t;
    using KGradDataType = ck_tile::bf16_t;
    using VGradDataType = ck_tile::bf16_t;
};

// q and dq share strides, so do k and dk, v and dv, o and do. The heads of q and k are the same here.
struct fmha_bwd_args
{
    const void* q_ptr;
    const void* k_ptr;
    const void* v_ptr;
    const void* bias_ptr; // ALiBi slopes, float [nhead], or [batch, nhead] when batch_stride_bias is not 0
    const void* o_ptr;
    const void* lse_ptr;
    const void* do_ptr;
    void* d_ptr;
    void* dq_ptr;
    void* dk_ptr;
    void* dv_ptr;
    void* dq_acc_ptr;    // for fmha_bwd: zeroed floats [split][batch][nhead][seqlen_q][hdim_q]
    void* workspace_ptr; // for the launcher: prepared; dq_acc lies in it

    ck_tile::index_t batch;
    ck_tile::index_t seqlen_q;
    ck_tile::index_t seqlen_k;
    ck_tile::index_t hdim_q;
    ck_tile::index_t hdim_v;
    ck_tile::index_t nhead;

    float scale;

    ck_tile::index_t stride_q;
    ck_tile::index_t stride_k;
    ck_tile::index_t stride_v;
    ck_tile::index_t stride_o;
    ck_tile::index_t nhead_stride_q;
    ck_tile::index_t nhead_stride_k;
    ck_tile::index_t nhead_stride_v;
    ck_tile::index_t nhead_stride_o;
    ck_tile::index_t nhead_stride_lsed;
    ck_tile::index_t batch_stride_q;
    ck_tile::index_t batch_stride_k;
    ck_tile::index_t batch_stride_v;
    ck_tile::index_t batch_stride_o;
    ck_tile::index_t batch_stride_lsed;
    ck_tile::index_t batch_stride_bias;

    ck_tile::index_t num_splits_dq_acc;
    ck_tile::index_t mask_type;
};

// Where dq_acc lies, for both ways in.
struct fmha_bwd_dq_acc
{
    ck_tile::tensor_view<float> view;
    ck_tile::long_index_t split_stride;
    ck_tile::index_t nsplits;

    explicit fmha_bwd_dq_acc(const fmha_bwd_args& a)
    {
        const ck_tile::long_index_t head  = static_cast<ck_tile::long_index_t>(a.seqlen_q) * a.hdim_q;
        const ck_tile::long_index_t batch = head * a.nhead;
        float* data = static_cast<float*>(a.dq_acc_ptr);
        nsplits     = a.num_splits_dq_acc;
        if(a.workspace_ptr != nullptr)
        {
            data    = ck_tile::FmhaBwdWorkspace::dq_acc(a.workspace_ptr, a.batch);
            nsplits = ck_tile::FmhaBwdWorkspace::nsplits(a.workspace_ptr);
        }
        view         = {data, batch, head, a.hdim_q};
        split_stride = batch * a.batch;
    }
};

template <typename Kernel>
auto fmha_bwd_dot_do_o_create_kargs_and_grids(fmha_bwd_args a)
{
    typename Kernel::Kargs kargs{
        a.seqlen_q,
        a.hdim_v,
        {static_cast<decltype(kargs.o.data)>(a.o_ptr), a.batch_stride_o, a.nhead_stride_o, a.stride_o},
        {static_cast<decltype(kargs.do_.data)>(a.do_ptr), a.batch_stride_o, a.nhead_stride_o, a.stride_o},
        {static_cast<float*>(a.d_ptr), a.batch_stride_lsed, a.nhead_stride_lsed, 1}};
    return std::make_pair(kargs, Kernel::GridSize(a.batch, a.nhead, a.seqlen_q));
}

template <typename Kernel>
auto fmha_bwd_dq_dk_dv_create_kargs_and_grids(fmha_bwd_args a)
{
    using T = typename Kernel::T;
    const fmha_bwd_dq_acc acc(a);
    typename Kernel::Kargs kargs{
        {a.seqlen_q,
         a.seqlen_k,
         a.hdim_q,
         a.scale,
         a.mask_type == static_cast<int>(mask_enum::mask_bottom_right),
         static_cast<const float*>(a.bias_ptr),
         a.batch_stride_bias},
        a.hdim_v,
        {static_cast<const T*>(a.q_ptr), a.batch_stride_q, a.nhead_stride_q, a.stride_q},
        {static_cast<const T*>(a.k_ptr), a.batch_stride_k, a.nhead_stride_k, a.stride_k},
        {static_cast<const T*>(a.v_ptr), a.batch_stride_v, a.nhead_stride_v, a.stride_v},
        {static_cast<const T*>(a.do_ptr), a.batch_stride_o, a.nhead_stride_o, a.stride_o},
        {static_cast<const float*>(a.lse_ptr), a.batch_stride_lsed, a.nhead_stride_lsed, 1},
        {static_cast<const float*>(a.d_ptr), a.batch_stride_lsed, a.nhead_stride_lsed, 1},
        acc.view,
        acc.split_stride,
        {static_cast<T*>(a.dq_ptr), a.batch_stride_q, a.nhead_stride_q, a.stride_q},
        {static_cast<T*>(a.dk_ptr), a.batch_stride_k, a.nhead_stride_k, a.stride_k},
        {static_cast<T*>(a.dv_ptr), a.batch_stride_v, a.nhead_stride_v, a.stride_v}};
    return std::make_pair(kargs, Kernel::GridSize(a.batch, a.nhead, a.seqlen_k));
}

template <typename Kernel>
auto fmha_bwd_convert_dq_create_kargs_and_grids(fmha_bwd_args a)
{
    const fmha_bwd_dq_acc acc(a);
    typename Kernel::Kargs kargs{
        a.seqlen_q,
        a.hdim_q,
        acc.nsplits,
        {acc.view.data, acc.view.batch_stride, acc.view.nhead_stride, acc.view.row_stride},
        acc.split_stride,
        {static_cast<decltype(kargs.dq.data)>(a.dq_ptr), a.batch_stride_q, a.nhead_stride_q, a.stride_q}};
    return std::make_pair(kargs, Kernel::GridSize(a.batch, a.nhead, a.seqlen_q));
}

// The names of the variants: one type for each blob. A blob made for one architecture family says so in Arch.
template <ck_tile::index_t HDim_, typename DataType_, bool kIsGroupMode_, bool kPadS_, bool kPadDv_>
struct fmha_bwd_dot_do_o_traits_
{
};

template <ck_tile::index_t HDim_, typename DataType_, bool kIsGroupMode_,
          ck_tile::BlockFmhaBwdPipelineEnum FmhaBwdPipelineEnum_, typename FmhaMask_,
          ck_tile::BlockAttentionBiasEnum BiasEnum_, bool kIsDeterministic_>
struct fmha_bwd_dq_dk_dv_traits_
{
};

template <ck_tile::index_t HDim_, typename DataType_, bool kIsGroupMode_, bool kPadS_, bool kIsDeterministic_>
struct fmha_bwd_convert_dq_traits_
{
};

template <typename Traits_, typename Arch = void>
float fmha_bwd_dot_do_o_(const ck_tile::stream_config&, fmha_bwd_args);
template <typename Traits_, typename Arch = void>
void fmha_bwd_dot_do_o_oneshot_(const ck_tile::stream_config&, fmha_bwd_args);
template <typename Traits_, typename Arch = void>
std::string fmha_bwd_dot_do_o_get_name_();

template <typename Traits_, typename Arch = void>
float fmha_bwd_dq_dk_dv_(const ck_tile::stream_config&, fmha_bwd_args);
template <typename Traits_, typename Arch = void>
void fmha_bwd_dq_dk_dv_oneshot_(const ck_tile::stream_config&, fmha_bwd_args);
template <typename Traits_, typename Arch = void>
std::string fmha_bwd_dq_dk_dv_get_name_();
template <typename Traits_, typename Arch>
size_t fmha_bwd_dq_dk_dv_ws_host_size_(ck_tile::index_t batch);
template <typename Traits_, typename Arch>
size_t fmha_bwd_dq_dk_dv_prepare_ws_host_(void* ws_host, ck_tile::index_t batch, ck_tile::index_t hdim_q,
                                          ck_tile::index_t nhead, ck_tile::index_t seqlen_q,
                                          ck_tile::index_t seqlen_k);
template <typename Traits_, typename Arch>
bool fmha_bwd_dq_dk_dv_needs_zero_dq_acc_();

template <typename Traits_, typename Arch = void>
float fmha_bwd_convert_dq_(const ck_tile::stream_config&, fmha_bwd_args);
template <typename Traits_, typename Arch = void>
void fmha_bwd_convert_dq_oneshot_(const ck_tile::stream_config&, fmha_bwd_args);
template <typename Traits_, typename Arch = void>
std::string fmha_bwd_convert_dq_get_name_();

struct fmha_bwd_traits
{
    int seqlen_q;
    int seqlen_k;
    int batch;
    int hdim_q;
    int hdim_v;
    int nhead;
    std::string data_type;
    bool is_group_mode;
    mask_enum mask_type;
    bias_enum bias_type;
    bool has_dropout;
    bool is_deterministic;
};

// Returns the time in ms (0 when not measured), or -1 when no kernel matches.
template <int Version = 2>
float fmha_bwd(fmha_bwd_traits, fmha_bwd_args, const ck_tile::stream_config&);

// The launcher's helper. T2 is void where dq_dk_dv writes dq itself.
template <typename T0, typename T1, typename T2, typename Arch>
float fmha_bwd_run_(const ck_tile::stream_config& s, fmha_bwd_args a)
{
    if constexpr(!std::is_same_v<T2, void>)
    {
        if(s.log_level_ > 0)
            std::cout << ", " << fmha_bwd_dot_do_o_get_name_<T0, Arch>() << "@"
                      << fmha_bwd_convert_dq_get_name_<T2, Arch>() << "@" << fmha_bwd_dq_dk_dv_get_name_<T1, Arch>()
                      << std::flush;
        return ck_tile::launch_kernel(
            s,
            [=](const ck_tile::stream_config& s_) { fmha_bwd_dot_do_o_oneshot_<T0, Arch>(s_, a); },
            [=](const ck_tile::stream_config& s_) { fmha_bwd_dq_dk_dv_oneshot_<T1, Arch>(s_, a); },
            [=](const ck_tile::stream_config& s_) { fmha_bwd_convert_dq_oneshot_<T2, Arch>(s_, a); });
    }
    else
    {
        if(s.log_level_ > 0)
            std::cout << ", " << fmha_bwd_dot_do_o_get_name_<T0, Arch>() << "@"
                      << fmha_bwd_dq_dk_dv_get_name_<T1, Arch>() << std::flush;
        return ck_tile::launch_kernel(
            s,
            [=](const ck_tile::stream_config& s_) { fmha_bwd_dot_do_o_oneshot_<T0, Arch>(s_, a); },
            [=](const ck_tile::stream_config& s_) { fmha_bwd_dq_dk_dv_oneshot_<T1, Arch>(s_, a); });
    }
}

// Made for one problem: read workspace_size, allocate, prepare_workspace, then run with workspace_ptr set.
struct fmha_bwd_launcher
{
    std::function<float(fmha_bwd_args, const ck_tile::stream_config&)> run;
    size_t workspace_size = 0;
    std::function<void(void* workspace)> prepare_workspace; // workspace: workspace_size bytes, 16-byte aligned

    explicit fmha_bwd_launcher(const fmha_bwd_traits&);
    fmha_bwd_launcher(const fmha_bwd_launcher&)            = delete; // prepare_workspace points to this
    fmha_bwd_launcher& operator=(const fmha_bwd_launcher&) = delete;

    float operator()(fmha_bwd_args a, const ck_tile::stream_config& s) const { return run(a, s); }

    template <typename T0, typename T1, typename T2, typename Arch>
    void init(const fmha_bwd_traits& t)
    {
        run = [](fmha_bwd_args a, const ck_tile::stream_config& s) { return fmha_bwd_run_<T0, T1, T2, Arch>(s, a); };

        host_ws_size_ = fmha_bwd_dq_dk_dv_ws_host_size_<T1, Arch>(t.batch);
        ws_host_      = std::make_unique<char[]>(host_ws_size_);
        const size_t device_ws_size = fmha_bwd_dq_dk_dv_prepare_ws_host_<T1, Arch>(
            ws_host_.get(), t.batch, t.hdim_q, t.nhead, t.seqlen_q, t.seqlen_k);
        workspace_size    = host_ws_size_ + device_ws_size;
        prepare_workspace = [this, device_ws_size](void* workspace) {
            if(workspace_size == 0)
                return;
            char* ws = static_cast<char*>(workspace);
            std::memcpy(ws, ws_host_.get(), host_ws_size_);
            if(fmha_bwd_dq_dk_dv_needs_zero_dq_acc_<T1, Arch>())
                std::memset(ws + host_ws_size_, 0, device_ws_size);
        };
    }

private:
    size_t host_ws_size_ = 0;
    std::unique_ptr<char[]> ws_host_;
};
