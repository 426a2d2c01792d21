#include "mha_fwd.h"
#include "mini_mha_host.h"

namespace aiter {

static fmha_fwd_traits traits_of(const fmha_fwd_args& args, std::string dtype, bool is_group_mode, mask_enum mask_type,
                                 bias_enum bias_type, bool has_lse)
{
    return {args.hdim_q, args.hdim_v, std::move(dtype), is_group_mode, true, mask_type, bias_type, has_lse};
}

float mha_fwd(mha_fwd_args args, const ck_tile::stream_config& stream_config, std::string q_dtype_str,
              bool is_group_mode, mask_enum mask_type, bias_enum bias_type, bool has_lse)
{
    return fmha_fwd(traits_of(args, q_dtype_str, is_group_mode, mask_type, bias_type, has_lse), args, stream_config);
}

float mha_fwd_splitkv(mha_fwd_splitkv_args args, const ck_tile::stream_config& stream_config, std::string q_dtype_str,
                      bool is_group_mode, mask_enum mask_type, bias_enum bias_type, bool has_lse)
{
    return fmha_fwd_splitkv(
        traits_of(args, q_dtype_str, is_group_mode, mask_type, bias_type, has_lse), args, stream_config);
}

} // namespace aiter

namespace {

// The arguments of a problem, and the tensors that they point to.
struct call
{
    mini_mha::buffer q, k, v, o;
    std::vector<float> o_acc, lse_acc;
    fmha_fwd_splitkv_args args{};
    bias_enum bias;

    call(const mini_mha_problem& p, const float* q_, const float* k_, const float* v_, float* lse)
        : q(p, q_size(p), q_), k(p, k_size(p), k_), v(p, k_size(p), v_), o(p, q_size(p)),
          bias(p.alibi_slopes != nullptr ? bias_enum::alibi : bias_enum::no_bias)
    {
        args.q_ptr            = q.data();
        args.k_ptr            = k.data();
        args.v_ptr            = v.data();
        args.bias_ptr         = p.alibi_slopes;
        args.lse_ptr          = lse;
        args.o_ptr            = o.data();
        args.batch            = p.batch;
        args.seqlen_q         = p.seqlen_q;
        args.seqlen_k         = p.seqlen_k;
        args.hdim_q           = p.hdim;
        args.hdim_v           = p.hdim;
        args.nhead_q          = p.nhead_q;
        args.nhead_k          = p.nhead_k;
        args.scale_s          = p.scale;
        args.stride_q         = p.hdim;
        args.stride_k         = p.hdim;
        args.stride_v         = p.hdim;
        args.stride_o         = p.hdim;
        args.nhead_stride_q   = p.seqlen_q * p.hdim;
        args.nhead_stride_k   = p.seqlen_k * p.hdim;
        args.nhead_stride_v   = p.seqlen_k * p.hdim;
        args.nhead_stride_lse = p.seqlen_q;
        args.nhead_stride_o   = p.seqlen_q * p.hdim;
        args.batch_stride_q   = p.nhead_q * args.nhead_stride_q;
        args.batch_stride_k   = p.nhead_k * args.nhead_stride_k;
        args.batch_stride_v   = p.nhead_k * args.nhead_stride_v;
        args.batch_stride_lse = p.nhead_q * args.nhead_stride_lse;
        args.batch_stride_o   = p.nhead_q * args.nhead_stride_o;
        args.mask_type        = p.mask;
    }

    void split(const mini_mha_problem& p)
    {
        o_acc.resize(q_size(p) * p.num_splits);
        lse_acc.resize(q_size(p) / p.hdim * p.num_splits);
        args.num_splits           = p.num_splits;
        args.o_acc_ptr            = o_acc.data();
        args.lse_acc_ptr          = lse_acc.data();
        args.stride_o_acc         = args.stride_o;
        args.nhead_stride_o_acc   = args.nhead_stride_o;
        args.nhead_stride_lse_acc = args.nhead_stride_lse;
        args.batch_stride_o_acc   = args.batch_stride_o;
        args.batch_stride_lse_acc = args.batch_stride_lse;
        args.split_stride_o_acc   = q_size(p);
        args.split_stride_lse_acc = q_size(p) / p.hdim;
    }

    static size_t q_size(const mini_mha_problem& p) { return size_t(p.batch) * p.nhead_q * p.seqlen_q * p.hdim; }
    static size_t k_size(const mini_mha_problem& p) { return size_t(p.batch) * p.nhead_k * p.seqlen_k * p.hdim; }
};

} // namespace

extern "C" float mini_mha_fwd(const mini_mha_problem* p, const float* q, const float* k, const float* v, float* out,
                              float* lse)
{
    return mini_mha::guarded<float>([&] {
        call c(*p, q, k, v, lse);
        mini_mha::names_to names(*p);
        const float t = aiter::mha_fwd(
            c.args, mini_mha::stream_for(*p), p->dtype, false, static_cast<mask_enum>(p->mask), c.bias, lse != nullptr);
        if(t >= 0)
            c.o.copy_to(out);
        return t;
    });
}

extern "C" float mini_mha_fwd_splitkv(const mini_mha_problem* p, const float* q, const float* k, const float* v,
                                      float* out, float* lse)
{
    return mini_mha::guarded<float>([&] {
        if(p->num_splits < 1)
            throw std::invalid_argument("mini_mha_fwd_splitkv: num_splits must be 1 or more");
        call c(*p, q, k, v, lse);
        c.split(*p);
        mini_mha::names_to names(*p);
        const float t = aiter::mha_fwd_splitkv(
            c.args, mini_mha::stream_for(*p), p->dtype, false, static_cast<mask_enum>(p->mask), c.bias, lse != nullptr);
        if(t >= 0)
            c.o.copy_to(out);
        return t;
    });
}

extern "C" int mini_mha_bf16_rounding(void) { return CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT; }
