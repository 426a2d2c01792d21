#include "mha_bwd.h"
#include "mini_mha_host.h"

namespace aiter {

static fmha_bwd_traits traits_of(const fmha_bwd_args& args, std::string dtype, bool is_group_mode, mask_enum mask_type,
                                 bias_enum bias_type, bool is_deterministic)
{
    return {args.seqlen_q, args.seqlen_k,    args.batch,    args.hdim_q, args.hdim_v, args.nhead,
            std::move(dtype), is_group_mode, mask_type, bias_type,   false,       is_deterministic};
}

float mha_bwd(mha_bwd_args args, const ck_tile::stream_config& stream_config, std::string q_dtype_str,
              bool is_group_mode, mask_enum mask_type, bias_enum bias_type, bool is_deterministic)
{
    return fmha_bwd<2>(
        traits_of(args, q_dtype_str, is_group_mode, mask_type, bias_type, is_deterministic), args, stream_config);
}

} // namespace aiter

namespace {

bias_enum bias_of(const mini_mha_problem& p)
{
    return p.alibi_slopes != nullptr ? bias_enum::alibi : bias_enum::no_bias;
}

fmha_bwd_args args_of(const mini_mha_problem& p)
{
    if(p.nhead_k != p.nhead_q)
        throw std::invalid_argument("mini_mha_bwd: nhead_k must be nhead_q");
    fmha_bwd_args a{};
    a.bias_ptr          = p.alibi_slopes;
    a.batch             = p.batch;
    a.seqlen_q          = p.seqlen_q;
    a.seqlen_k          = p.seqlen_k;
    a.hdim_q            = p.hdim;
    a.hdim_v            = p.hdim;
    a.nhead             = p.nhead_q;
    a.scale             = p.scale;
    a.stride_q          = p.hdim;
    a.stride_k          = p.hdim;
    a.stride_v          = p.hdim;
    a.stride_o          = p.hdim;
    a.nhead_stride_q    = p.seqlen_q * p.hdim;
    a.nhead_stride_k    = p.seqlen_k * p.hdim;
    a.nhead_stride_v    = p.seqlen_k * p.hdim;
    a.nhead_stride_o    = p.seqlen_q * p.hdim;
    a.nhead_stride_lsed = p.seqlen_q;
    a.batch_stride_q    = p.nhead_q * a.nhead_stride_q;
    a.batch_stride_k    = p.nhead_q * a.nhead_stride_k;
    a.batch_stride_v    = p.nhead_q * a.nhead_stride_v;
    a.batch_stride_o    = p.nhead_q * a.nhead_stride_o;
    a.batch_stride_lsed = p.nhead_q * a.nhead_stride_lsed;
    a.mask_type         = p.mask;
    return a;
}

fmha_bwd_traits traits_of(const mini_mha_problem& p, const fmha_bwd_args& a)
{
    return aiter::traits_of(
        a, p.dtype, false, static_cast<mask_enum>(p.mask), bias_of(p), p.deterministic != 0);
}

// The tensors of a problem. run(args) computes; it is the only difference between the two ways in.
template <typename Run>
float with_tensors(const mini_mha_problem& p, const float* q, const float* k, const float* v, const float* out,
                   const float* dout, const float* lse, float* dq, float* dk, float* dv, Run run)
{
    fmha_bwd_args a       = args_of(p);
    const size_t q_size   = size_t(p.batch) * a.batch_stride_q;
    const size_t k_size   = size_t(p.batch) * a.batch_stride_k;
    mini_mha::buffer q_(p, q_size, q), k_(p, k_size, k), v_(p, k_size, v), o_(p, q_size, out), do_(p, q_size, dout);
    mini_mha::buffer dq_(p, q_size), dk_(p, k_size), dv_(p, k_size);
    std::vector<float> d(size_t(p.batch) * a.batch_stride_lsed);
    a.q_ptr   = q_.data();
    a.k_ptr   = k_.data();
    a.v_ptr   = v_.data();
    a.o_ptr   = o_.data();
    a.do_ptr  = do_.data();
    a.lse_ptr = lse;
    a.d_ptr   = d.data();
    a.dq_ptr  = dq_.data();
    a.dk_ptr  = dk_.data();
    a.dv_ptr  = dv_.data();

    mini_mha::names_to names(p);
    const float t = run(a, mini_mha::stream_for(p));
    if(t >= 0)
    {
        dq_.copy_to(dq);
        dk_.copy_to(dk);
        dv_.copy_to(dv);
    }
    return t;
}

} // namespace

extern "C" float mini_mha_bwd(const mini_mha_problem* p, const float* q, const float* k, const float* v,
                              const float* out, const float* dout, const float* lse, float* dq, float* dk, float* dv)
{
    return mini_mha::guarded<float>([&] {
        return with_tensors(
            *p, q, k, v, out, dout, lse, dq, dk, dv, [&](fmha_bwd_args a, const ck_tile::stream_config& s) {
                // The caller knows how the kernels split the keys: the coupling that the launcher removes.
                constexpr int smallest_tile = 4;
                a.num_splits_dq_acc = p->deterministic ? ck_tile::integer_divide_ceil(p->seqlen_k, smallest_tile) : 1;
                std::vector<float> dq_acc(size_t(a.num_splits_dq_acc) * p->batch * a.batch_stride_q);
                a.dq_acc_ptr = dq_acc.data();
                return aiter::mha_bwd(
                    a, s, p->dtype, false, static_cast<mask_enum>(p->mask), bias_of(*p), p->deterministic != 0);
            });
    });
}

extern "C" float mini_mha_bwd_launcher(const mini_mha_problem* p, const float* q, const float* k, const float* v,
                                       const float* out, const float* dout, const float* lse, float* dq, float* dk,
                                       float* dv)
{
    return mini_mha::guarded<float>([&] {
        return with_tensors(
            *p, q, k, v, out, dout, lse, dq, dk, dv, [&](fmha_bwd_args a, const ck_tile::stream_config& s) {
                const fmha_bwd_launcher launcher(traits_of(*p, a));
                // Filled with rubbish, so that a kernel which forgot to ask for zeroes is found out.
                std::vector<double> workspace(launcher.workspace_size / sizeof(double) + 2, -1e30);
                launcher.prepare_workspace(workspace.data());
                a.workspace_ptr = launcher.workspace_size > 0 ? workspace.data() : nullptr;
                return launcher(a, s);
            });
    });
}

extern "C" size_t mini_mha_bwd_workspace_size(const mini_mha_problem* p)
{
    return mini_mha::guarded<size_t>([&] { return fmha_bwd_launcher(traits_of(*p, args_of(*p))).workspace_size; });
}

extern "C" int mini_mha_bf16_rounding(void) { return CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT; }
