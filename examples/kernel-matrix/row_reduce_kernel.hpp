// The kernel. As in examples/mini-aiter it runs on the CPU, a loop over the grid, so that the numbers are right
// without a GPU; the __global__ function gives the compiler a device pass and the fat binary a code object.
#pragma once

#include "row_reduce.hpp"

#include <hip/hip_runtime.h>

template <typename Traits>
__global__ void row_reduce_entry(int* blocks)
{
    if(threadIdx.x == 0)
        atomicAdd(blocks, Traits::Block);
}

template <typename Traits>
struct row_reduce_kernel
{
    using In  = typename Traits::In;
    using Out = typename Traits::Out;
    using Op  = typename Traits::Op;
    static constexpr int Block = Traits::Block, VecLen = Traits::VecLen;

    // One row by Block threads: each takes VecLen elements at a time, then they join by halves. A row that is
    // shorter than the first round leaves threads without a value.
    static Out row(const In* in, int columns)
    {
        Out part[Block];
        int used = 0;
        for(int thread = 0; thread < Block && thread * VecLen < columns; thread++, used++)
        {
            part[thread] = Op::map(static_cast<Out>(in[thread * VecLen]));
            for(int at = thread * VecLen; at < columns; at += Block * VecLen)
                for(int i = at == thread * VecLen; i < VecLen && at + i < columns; i++)
                    part[thread] = Op::join(part[thread], Op::map(static_cast<Out>(in[at + i])));
        }
        for(int half = Block / 2; half > 0; half /= 2)
            for(int thread = 0; thread < half && thread + half < used; thread++)
                part[thread] = Op::join(part[thread], part[thread + half]);
        return part[0];
    }

    static void run(const row_reduce_args& a)
    {
        const In* in     = static_cast<const In*>(a.in);
        const int stride = Traits::Packed ? a.columns : a.stride;
        for(int i = 0; i < a.rows; i++)
            static_cast<Out*>(a.out)[i] = row(in + static_cast<int64_t>(i) * stride, a.columns);
        void (*volatile entry)(int*) = row_reduce_entry<Traits>; // keeps it in the fat binary
        (void)entry;
    }
};
