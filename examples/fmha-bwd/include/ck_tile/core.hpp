// The part of ck_tile that this example needs.
//
// A kernel is a class whose operator() is the work of one block. Launching it is a loop over the grid on the CPU, so the
// numbers are right on a machine without a GPU. The same operator() is compiled for the device as well (kentry below), so
// architectures, guards and code objects are real; it is launched if FMHA_BWD_ON_DEVICE is defined.
#pragma once

#include "ck_tile/device.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#define CK_TILE_HOST __host__
#define CK_TILE_HOST_DEVICE __host__ __device__

namespace ck_tile {

using index_t      = int32_t;
using long_index_t = int64_t;

template <typename T>
CK_TILE_HOST_DEVICE constexpr T min(T a, T b) { return b < a ? b : a; }
template <typename T>
CK_TILE_HOST_DEVICE constexpr T max(T a, T b) { return a < b ? b : a; }
CK_TILE_HOST_DEVICE constexpr index_t integer_divide_ceil(index_t a, index_t b) { return a / b + (a % b != 0); }
CK_TILE_HOST_DEVICE constexpr size_t integer_least_multiple(size_t a, size_t multiple) { return (a + multiple - 1) / multiple * multiple; }

// ---- architectures --------------------------------------------------------------------------------------------------

// Tags: the last template argument of every function of a blob. A blob is made for one of them.
struct gfx9_t
{
    static constexpr const char* name  = "gfx9";
    static constexpr index_t wave_size = 64;
};
struct gfx11_t
{
    static constexpr const char* name  = "gfx11";
    static constexpr index_t wave_size = 32;
};
// CUDA
struct sm_t
{
    static constexpr const char* name  = "sm";
    static constexpr index_t wave_size = 32;
};

#if defined(FMHA_BWD_ON_DEVICE)
inline hipDeviceProp_t get_device_properties()
{
    int device = 0;
    hipDeviceProp_t properties;
    HIP_CHECK(hipGetDevice(&device));
    HIP_CHECK(hipGetDeviceProperties(&properties, device));
    return properties;
}
#endif

// The device that a launcher believes in. FMHA_BWD_ARCH is taken at its word.
inline std::string get_device_name()
{
    if(const char* name = std::getenv("FMHA_BWD_ARCH"); name != nullptr && *name != '\0')
        return name;
#if !defined(FMHA_BWD_ON_DEVICE)
    return "gfx90a";
#elif defined(__HIP__)
    return get_device_properties().gcnArchName;
#else
    return "sm_" + std::to_string(get_device_properties().major) + std::to_string(get_device_properties().minor);
#endif
}

// How many compute units it has, which is how many workers a persistent kernel has.
inline index_t get_num_cus()
{
    if(const char* value = std::getenv("FMHA_BWD_NUM_CUS"); value != nullptr && *value != '\0')
    {
        char* end       = nullptr;
        const long cus  = std::strtol(value, &end, 10);
        if(*end != '\0' || cus < 1 || cus > 4096)
            throw std::invalid_argument(std::string("FMHA_BWD_NUM_CUS is '") + value +
                                        "', expected a number from 1 to 4096");
        return static_cast<index_t>(cus);
    }
#if defined(FMHA_BWD_ON_DEVICE)
    return get_device_properties().multiProcessorCount;
#else
    const std::string name = get_device_name();
    if(name.compare(0, 6, "gfx942") == 0)
        return 304;
    return name.compare(0, 5, "gfx11") == 0 ? 96 : 104;
#endif
}

// ---- numbers --------------------------------------------------------------------------------------------------------

struct bf16_t
{
    uint16_t bits;
};

CK_TILE_HOST_DEVICE inline float to_float(float x) { return x; }
CK_TILE_HOST_DEVICE inline float to_float(bf16_t x)
{
    const uint32_t u = static_cast<uint32_t>(x.bits) << 16;
    float f;
    __builtin_memcpy(&f, &u, sizeof f);
    return f;
}

// To nearest, ties to even; infinities and NaNs stay what they are.
template <typename T>
CK_TILE_HOST_DEVICE inline T from_float(float f)
{
    if constexpr(std::is_same_v<T, float>)
        return f;
    else
    {
        uint32_t u;
        __builtin_memcpy(&u, &f, sizeof u);
        if((u & 0x7fffffffu) > 0x7f800000u)
            u |= 0x400000u;
        else if((u & 0x7f800000u) != 0x7f800000u)
            u += 0x7fffu + ((u >> 16) & 1u);
        return bf16_t{static_cast<uint16_t>(u >> 16)};
    }
}

template <typename T>
constexpr const char* type_name = std::is_same_v<T, bf16_t> ? "bf16" : "fp32";

// A [batch, head, row, column] tensor whose columns lie side by side. Strides are in elements.
template <typename T>
struct tensor_view
{
    T* data;
    long_index_t batch_stride, nhead_stride, row_stride;

    CK_TILE_HOST_DEVICE T* row(index_t batch, index_t head, long_index_t i) const
    {
        return data + batch * batch_stride + head * nhead_stride + i * row_stride;
    }
};

// One block runs after the other on the CPU, so there an addition is enough.
CK_TILE_HOST_DEVICE inline void atomic_add(float* p, float x)
{
#if defined(__HIP_DEVICE_COMPILE__) || defined(__CUDA_ARCH__)
    atomicAdd(p, x);
#else
    *p += x;
#endif
}

// ---- launching ------------------------------------------------------------------------------------------------------

struct stream_config
{
    stream_t stream_id_ = nullptr;
    bool time_kernel_   = false;
    int log_level_      = 0;
    int nrepeat_        = 1;
};

template <typename Kernel, typename Arch>
__global__ void __launch_bounds__(Arch::wave_size) kentry(typename Kernel::Kargs kargs)
{
    if(threadIdx.x == 0)
        Kernel{}(kargs, blockIdx.x, blockIdx.y, blockIdx.z);
}

template <typename Arch, typename Kernel>
auto make_kernel(Kernel kernel, dim3 grids, typename Kernel::Kargs kargs)
{
#if defined(FMHA_BWD_ON_DEVICE)
    static_cast<void>(kernel);
    return [=](const stream_config& s) {
        if(grids.x == 0 || grids.y == 0 || grids.z == 0)
            return;
        kentry<Kernel, Arch><<<grids, Arch::wave_size, 0, s.stream_id_>>>(kargs);
        HIP_CHECK(hipGetLastError());
    };
#else
    static_cast<void>(&kentry<Kernel, Arch>); // so that the code object has it
    return [=](const stream_config& s) {
        put_on_stream(s.stream_id_, [=] {
            for(unsigned z = 0; z < grids.z; z++)
                for(unsigned y = 0; y < grids.y; y++)
                    for(unsigned x = 0; x < grids.x; x++)
                        kernel(kargs, x, y, z);
        });
    };
#endif
}

// Calls each of callables in turn. Returns their time in ms, or 0 when not asked to measure.
template <typename... Callables>
float launch_kernel(const stream_config& s, Callables... callables)
{
    const auto start = std::chrono::steady_clock::now();
    for(int i = 0; i < (s.time_kernel_ ? s.nrepeat_ : 1); i++)
        (callables(s), ...);
    const std::chrono::duration<float, std::milli> spent = std::chrono::steady_clock::now() - start;
    return s.time_kernel_ ? spent.count() / s.nrepeat_ : 0;
}

} // namespace ck_tile
