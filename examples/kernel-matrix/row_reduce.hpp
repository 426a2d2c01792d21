// The family's interface: one call for all kernels, and the declaration of each.
#pragma once

#include <cstdint>

enum class op { sum, max, absmax, sumsq };
enum class type { f32, f64, i8, u8, i32, u32 };

// what is wanted: a point of row_reduce_matrix.json
struct row_reduce_request
{
    enum op op;
    type in, out;
    int veclen; // elements that a thread reads at a time
    int block;  // threads for a row
    bool packed; // rows without a gap between
};

struct row_reduce_args
{
    const void* in;
    void* out; // one for each row
    int rows, columns;
    int stride; // elements from one row to the next; packed kernels take it for `columns`
};

// True where there is such a kernel. Each is compiled on its first call.
bool row_reduce(const row_reduce_request& r, const row_reduce_args& a);

// --- for the dispatcher and the kernels ---

struct op_sum
{
    template <typename T> static T map(T x) { return x; }
    template <typename T> static T join(T a, T b) { return a + b; }
};
struct op_sumsq
{
    template <typename T> static T map(T x) { return x * x; }
    template <typename T> static T join(T a, T b) { return a + b; }
};
struct op_max
{
    template <typename T> static T map(T x) { return x; }
    template <typename T> static T join(T a, T b) { return a < b ? b : a; }
};
struct op_absmax
{
    template <typename T> static T map(T x) { return x < 0 ? -x : x; }
    template <typename T> static T join(T a, T b) { return a < b ? b : a; }
};

template <typename In_, typename Out_, typename Op_, int VecLen_, int Block_, bool Packed_>
struct row_reduce_traits
{
    using In  = In_;
    using Out = Out_;
    using Op  = Op_;
    static constexpr int VecLen  = VecLen_;
    static constexpr int Block   = Block_;
    static constexpr bool Packed = Packed_;
};

template <typename Traits>
void row_reduce_(const row_reduce_args& a);
