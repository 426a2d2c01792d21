// The part of ck_tile that every blob needs: index type, bf16, stream_config, launch_kernel, make_kernel.
//
// A "kernel" here is a class with a host function run(kargs, x, y, z) for one block, and launching it is a loop over
// the grid on the CPU. So the numbers are right on a machine without a GPU. Each kernel also has a real __global__
// function (kentry below), so that the compiler has a device pass to do and the fat binary holds a code object.
#pragma once

#include <ck/config.h>
#include <hip/hip_runtime.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

// 0, 3: to nearest, ties to even. 4: to nearest, ties away from zero. 1, 2: truncate.
#ifndef CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT
#define CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT 0
#endif

namespace ck_tile {

using index_t      = int32_t;
using long_index_t = int64_t;

template <index_t... Is>
struct sequence
{
    static constexpr index_t size = sizeof...(Is);
    static constexpr index_t at(index_t i)
    {
        constexpr index_t v[] = {Is...};
        return v[i];
    }
};

// Architecture tags: the last template argument of the blobs that the launcher uses.
struct gfx9_t
{
    static constexpr const char* name = "gfx9";
};
struct gfx11_t
{
    static constexpr const char* name = "gfx11";
};

// Which family of blobs the launcher picks. The numbers are computed on the CPU whatever this says.
inline std::string get_device_name()
{
    const char* name = std::getenv("MINI_AITER_ARCH");
    return name != nullptr ? name : "gfx90a";
}

struct bf16_t
{
    uint16_t bits;
};

inline float bf16_to_float(bf16_t x)
{
    const uint32_t u = static_cast<uint32_t>(x.bits) << 16;
    float f;
    std::memcpy(&f, &u, sizeof f);
    return f;
}

inline bf16_t float_to_bf16(float f)
{
    constexpr int rounding = CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT;
    uint32_t u;
    std::memcpy(&u, &f, sizeof u);
    if(std::isfinite(f))
    {
        if constexpr(rounding == 0 || rounding == 3)
            u += 0x7fffu + ((u >> 16) & 1u);
        else if constexpr(rounding == 4)
            u += 0x8000u;
    }
    return bf16_t{static_cast<uint16_t>(u >> 16)};
}

template <typename To, typename From>
inline To type_convert(From x)
{
    if constexpr(std::is_same_v<To, From>)
        return x;
    else if constexpr(std::is_same_v<From, bf16_t>)
        return static_cast<To>(bf16_to_float(x));
    else
        return float_to_bf16(static_cast<float>(x));
}

template <typename T>
constexpr const char* type_name()
{
    return std::is_same_v<T, bf16_t> ? "bf16" : "fp32";
}

// A [batch, head, row, column] tensor whose columns lie side by side. Strides are in elements.
template <typename T>
struct tensor_view
{
    T* data;
    long_index_t batch_stride, nhead_stride, row_stride;

    T* row(index_t batch, index_t head, index_t i) const
    {
        return data + batch * batch_stride + head * nhead_stride + i * row_stride;
    }
};

struct stream_config
{
    hipStream_t stream_id_ = nullptr;
    bool time_kernel_      = false;
    int log_level_         = 0;
    int nrepeat_           = 1;
};

// The device half of a kernel: every block reports that it ran.
template <index_t MaxThreadPerBlock, index_t MinBlockPerCu, typename Kernel>
__launch_bounds__(MaxThreadPerBlock, MinBlockPerCu) __global__
    void kentry(typename Kernel::Kargs, unsigned* blocks_seen)
{
    if(threadIdx.x == 0)
        atomicAdd(blocks_seen, 1u);
}

// The device half runs only where a user asks for it (MINI_AITER_DEVICE=1) and a device answers.
inline bool device_wanted()
{
    static const bool wanted = [] {
        const char* e = std::getenv("MINI_AITER_DEVICE");
        int devices   = 0;
        return e != nullptr && std::strcmp(e, "1") == 0 && hipGetDeviceCount(&devices) == hipSuccess && devices > 0;
    }();
    return wanted;
}

template <index_t MaxThreadPerBlock, index_t MinBlockPerCu, typename Kernel>
void device_roll_call(dim3 grids, dim3 blocks, typename Kernel::Kargs kargs, hipStream_t stream)
{
    unsigned* seen_dev = nullptr;
    unsigned seen      = 0;
    if(hipMalloc(&seen_dev, sizeof seen) != hipSuccess)
        throw std::runtime_error("device_roll_call: hipMalloc failed");
    hipError_t e = hipMemcpy(seen_dev, &seen, sizeof seen, hipMemcpyHostToDevice);
    if(e == hipSuccess)
    {
        kentry<MaxThreadPerBlock, MinBlockPerCu, Kernel><<<grids, blocks, 0, stream>>>(kargs, seen_dev);
        e = hipStreamSynchronize(stream);
    }
    if(e == hipSuccess)
        e = hipMemcpy(&seen, seen_dev, sizeof seen, hipMemcpyDeviceToHost);
    (void)hipFree(seen_dev);
    if(e != hipSuccess || seen != grids.x * grids.y * grids.z)
        throw std::runtime_error("device_roll_call: not every block of " + Kernel::GetName() + " ran on the device");
}

template <index_t MaxThreadPerBlock, index_t MinBlockPerCu, typename Kernel, typename Kargs>
auto make_kernel(Kernel, dim3 grids, dim3 blocks, std::size_t /*lds_bytes*/, Kargs kargs)
{
    return [=](const stream_config& s) {
        if(device_wanted())
            device_roll_call<MaxThreadPerBlock, MinBlockPerCu, Kernel>(grids, blocks, kargs, s.stream_id_);
        for(unsigned z = 0; z < grids.z; z++)
            for(unsigned y = 0; y < grids.y; y++)
                for(unsigned x = 0; x < grids.x; x++)
                    Kernel::run(kargs, x, y, z);
    };
}

// Calls each of callables in turn. Returns their time in ms, or 0 when not asked to measure.
template <typename... Callables>
float launch_kernel(const stream_config& s, Callables... callables)
{
    if(!s.time_kernel_)
    {
        (callables(s), ...);
        return 0;
    }
    const auto start = std::chrono::steady_clock::now();
    for(int i = 0; i < s.nrepeat_; i++)
        (callables(s), ...);
    const std::chrono::duration<float, std::milli> spent = std::chrono::steady_clock::now() - start;
    return spent.count() / s.nrepeat_;
}

constexpr index_t integer_divide_ceil(index_t a, index_t b) { return (a + b - 1) / b; }

} // namespace ck_tile
