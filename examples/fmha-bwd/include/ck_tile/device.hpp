// Memory, streams and graphs: of the GPU with FMHA_BWD_ON_DEVICE, otherwise modelled on the CPU.
//
// The model has a GPU's rules where they matter here: what is put on a stream during a capture runs
// when the graph is launched, each time again, with the arguments of the capture.
#pragma once

#include "ck_tile/platform.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace ck_tile {

enum class capture_mode
{
    none,
    global,
    thread_local_,
    relaxed,
};

#if defined(FMHA_BWD_ON_DEVICE)

inline void hip_check(hipError_t error, const char* what)
{
    if(error != hipSuccess)
        throw std::runtime_error(std::string(what) + ": " + hipGetErrorString(error));
}
#define HIP_CHECK(call) ::ck_tile::hip_check(call, #call)

using stream_t = hipStream_t;

// ---- memory

inline void* device_alloc(size_t size)
{
    void* p = nullptr;
    HIP_CHECK(hipMalloc(&p, size));
    return p;
}
inline void device_free(void* p) { static_cast<void>(hipFree(p)); }
// Memory of the host that the GPU reads and writes.
inline void* pinned_alloc(size_t size)
{
    void* p = nullptr;
    HIP_CHECK(hipHostMalloc(&p, size, hipHostMallocDefault));
    return p;
}
inline void pinned_free(void* p) { static_cast<void>(hipHostFree(p)); }

inline void device_memcpy(void* to, const void* from, size_t size) { HIP_CHECK(hipMemcpy(to, from, size, hipMemcpyDefault)); }
inline void device_memset(void* to, int byte, size_t size)
{
    HIP_CHECK(hipMemset(to, byte, size));
    HIP_CHECK(hipDeviceSynchronize()); // it may return before it is done
}

// ---- work on a stream

inline void memcpy_async(void* to, const void* from, size_t size, stream_t s)
{
    HIP_CHECK(hipMemcpyAsync(to, from, size, hipMemcpyDefault, s));
}
inline void memset_async(void* to, int byte, size_t size, stream_t s) { HIP_CHECK(hipMemsetAsync(to, byte, size, s)); }
inline void host_function_async(void (*function)(void*), void* argument, stream_t s)
{
    HIP_CHECK(hipLaunchHostFunc(s, function, argument));
}

class stream
{
    hipStream_t stream_ = nullptr;
    hipGraph_t graph_   = nullptr;
    hipGraphExec_t graph_exec_ = nullptr;

public:
    stream() { HIP_CHECK(hipStreamCreateWithFlags(&stream_, hipStreamNonBlocking)); }
    ~stream()
    {
        if(graph_exec_ != nullptr)
            static_cast<void>(hipGraphExecDestroy(graph_exec_));
        if(graph_ != nullptr)
            static_cast<void>(hipGraphDestroy(graph_));
        static_cast<void>(hipStreamDestroy(stream_));
    }
    stream(const stream&)            = delete;
    stream& operator=(const stream&) = delete;
    stream_t get() const { return stream_; }

    void begin_capture(capture_mode mode)
    {
        HIP_CHECK(hipStreamBeginCapture(stream_,
                                        mode == capture_mode::global          ? hipStreamCaptureModeGlobal
                                        : mode == capture_mode::thread_local_ ? hipStreamCaptureModeThreadLocal
                                                                              : hipStreamCaptureModeRelaxed));
    }
    // Returns how many nodes the graph has. Throws where the capture is not valid any more.
    size_t end_capture()
    {
        size_t nodes = 0;
        HIP_CHECK(hipStreamEndCapture(stream_, &graph_));
        HIP_CHECK(hipGraphGetNodes(graph_, nullptr, &nodes));
        return nodes;
    }
    void launch_graph()
    {
        if(graph_exec_ == nullptr)
            HIP_CHECK(hipGraphInstantiateWithFlags(&graph_exec_, graph_, 0));
        HIP_CHECK(hipGraphLaunch(graph_exec_, stream_));
    }
    void synchronize() { HIP_CHECK(hipStreamSynchronize(stream_)); }
};

#else

class stream;
using stream_t = stream*;

// ---- memory, aligned as hipMalloc aligns

inline void* device_alloc(size_t size)
{
    void* p = std::aligned_alloc(256, (size + 255) / 256 * 256);
    if(p == nullptr)
        throw std::bad_alloc();
    return p;
}
inline void device_free(void* p) { std::free(p); }
inline void* pinned_alloc(size_t size) { return device_alloc(size); }
inline void pinned_free(void* p) { std::free(p); }

inline void device_memcpy(void* to, const void* from, size_t size) { std::memcpy(to, from, size); }
inline void device_memset(void* to, int byte, size_t size) { std::memset(to, byte, size); }

// ---- work on a stream

class stream
{
    bool capturing_ = false;
    std::vector<std::function<void()>> graph_;

public:
    stream()                         = default;
    stream(const stream&)            = delete;
    stream& operator=(const stream&) = delete;
    stream_t get() { return this; }

    void begin_capture(capture_mode)
    {
        graph_.clear();
        capturing_ = true;
    }
    size_t end_capture()
    {
        capturing_ = false;
        return graph_.size();
    }
    void launch_graph()
    {
        for(const auto& work : graph_)
            work();
    }
    void synchronize() {}
    void put(std::function<void()> work)
    {
        if(capturing_)
            graph_.push_back(std::move(work));
        else
            work();
    }
};

// No stream is the default stream, which is not captured.
inline void put_on_stream(stream_t s, std::function<void()> work)
{
    if(s != nullptr)
        s->put(std::move(work));
    else
        work();
}
inline void memcpy_async(void* to, const void* from, size_t size, stream_t s)
{
    put_on_stream(s, [=] { std::memcpy(to, from, size); });
}
inline void memset_async(void* to, int byte, size_t size, stream_t s)
{
    put_on_stream(s, [=] { std::memset(to, byte, size); });
}
inline void host_function_async(void (*function)(void*), void* argument, stream_t s)
{
    put_on_stream(s, [=] { function(argument); });
}

#endif

// What a std::vector is made of whose elements host and device use.
template <typename T>
struct pinned_allocator
{
    using value_type   = T;
    pinned_allocator() = default;
    template <typename U>
    pinned_allocator(const pinned_allocator<U>&)
    {
    }
    T* allocate(size_t n) { return static_cast<T*>(pinned_alloc(n * sizeof(T))); }
    void deallocate(T* p, size_t) { pinned_free(p); }
    template <typename U>
    bool operator==(const pinned_allocator<U>&) const
    {
        return true;
    }
    template <typename U>
    bool operator!=(const pinned_allocator<U>&) const
    {
        return false;
    }
};
template <typename T>
using pinned_vector = std::vector<T, pinned_allocator<T>>;

// What stands for the GPU's memory, or is in it.
class DeviceMem
{
    struct free_deleter
    {
        void operator()(void* p) const { device_free(p); }
    };
    std::unique_ptr<void, free_deleter> memory_;

public:
    explicit DeviceMem(size_t size)
    {
        if(size != 0)
            memory_.reset(device_alloc(size));
    }
    void* GetDeviceBuffer() const { return memory_.get(); }
};

} // namespace ck_tile
