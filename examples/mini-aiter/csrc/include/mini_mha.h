/* The C API of libmha_fwd.so and libmha_bwd.so, for ctypes and the like. Tensors are dense floats, [batch, head, row,
 * column]; with dtype "bf16" they are rounded on the way in, and results widened on the way out.
 *
 * Functions return the time in ms, or 0 when it was not measured; -1 when no kernel matches the problem; -2 when
 * something failed, and then mini_mha_last_error() says what. Threads may call them at the same time, but calls that
 * ask for kernel names take turns. */
#ifndef MINI_MHA_H
#define MINI_MHA_H

#include <stddef.h>

#define MINI_MHA_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mini_mha_problem
{
    const char* dtype; /* "fp32" or "bf16" */
    int batch, nhead_q, nhead_k, seqlen_q, seqlen_k, hdim; /* backward: nhead_k must be nhead_q */
    float scale;
    int mask;                  /* 0: none; causal, 1: diagonal from the top left, 2: to the bottom right */
    int num_splits;            /* mini_mha_fwd_splitkv: 1 to 16 */
    int deterministic;         /* backward */
    const float* alibi_slopes; /* [nhead_q], or NULL for no bias */
    char* names;               /* or NULL: here goes ", kernel, kernel@kernel", cut to names_size with its 0 */
    size_t names_size;
} mini_mha_problem;

/* libmha_fwd.so. lse [batch, head, row] may be NULL: that is another kernel. */
MINI_MHA_API float mini_mha_fwd(const mini_mha_problem*, const float* q, const float* k, const float* v, float* out,
                                float* lse);
MINI_MHA_API float mini_mha_fwd_splitkv(const mini_mha_problem*, const float* q, const float* k, const float* v,
                                        float* out, float* lse);

/* libmha_bwd.so. The launcher's kernels are others than mini_mha_bwd's; MINI_AITER_ARCH (gfx90a) picks their family. */
MINI_MHA_API float mini_mha_bwd(const mini_mha_problem*, const float* q, const float* k, const float* v,
                                const float* out, const float* dout, const float* lse, float* dq, float* dk,
                                float* dv);
MINI_MHA_API float mini_mha_bwd_launcher(const mini_mha_problem*, const float* q, const float* k, const float* v,
                                         const float* out, const float* dout, const float* lse, float* dq, float* dk,
                                         float* dv);
/* Bytes that the launcher's kernel asks for; 0 too when no kernel matches, (size_t)-2 on failure. */
MINI_MHA_API size_t mini_mha_bwd_workspace_size(const mini_mha_problem*);

/* Both libraries. */
MINI_MHA_API int mini_mha_bf16_rounding(void);       /* the build's CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT */
MINI_MHA_API const char* mini_mha_last_error(void);  /* of this thread; "" when none */

#ifdef __cplusplus
}
#endif
#endif
