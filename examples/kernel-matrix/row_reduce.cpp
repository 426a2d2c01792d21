// The dispatcher. Its rows are generated from the same matrix as the kernels, so neither has what the other lacks.
#include "row_reduce.hpp"

bool row_reduce(const row_reduce_request& r, const row_reduce_args& a)
{
#define ROW(OP, IN, IN_TYPE, OUT, OUT_TYPE, VECLEN, BLOCK, PACKED)                                            \
    if(r.op == op::OP && r.in == type::IN && r.out == type::OUT && r.veclen == VECLEN && r.block == BLOCK &&  \
       r.packed == PACKED)                                                                                    \
    {                                                                                                         \
        row_reduce_<row_reduce_traits<IN_TYPE, OUT_TYPE, op_##OP, VECLEN, BLOCK, PACKED>>(a);                 \
        return true;                                                                                          \
    }
#include "row_reduce_rows.inc"
    return false;
}
