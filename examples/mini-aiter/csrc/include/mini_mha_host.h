// What mha_fwd.cpp and mha_bwd.cpp share: errors and kernel names for the C API, and buffers in the kernel's type.
#pragma once

#include "ck_tile/core.hpp"
#include "mini_mha.h"

#include <iostream>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

void mini_mha_set_error(const char* what); // mini_mha_error.cc

namespace mini_mha {

// The kernels print their names to std::cout when s.log_level_ > 0; this gathers them for the caller.
class names_to
{
public:
    explicit names_to(const mini_mha_problem& p) : names_(p.names), size_(p.names_size)
    {
        if(names_ == nullptr)
            return;
        turn_ = std::unique_lock<std::mutex>(one_at_a_time());
        cout_ = std::cout.rdbuf(text_.rdbuf());
    }
    ~names_to()
    {
        if(names_ == nullptr)
            return;
        std::cout.rdbuf(cout_);
        if(size_ > 0)
            names_[text_.str().copy(names_, size_ - 1)] = 0;
    }
    names_to(const names_to&)            = delete;
    names_to& operator=(const names_to&) = delete;

private:
    static std::mutex& one_at_a_time()
    {
        static std::mutex m;
        return m;
    }
    char* names_;
    size_t size_;
    std::unique_lock<std::mutex> turn_;
    std::ostringstream text_;
    std::streambuf* cout_ = nullptr;
};

inline ck_tile::stream_config stream_for(const mini_mha_problem& p)
{
    ck_tile::stream_config s;
    s.log_level_ = p.names != nullptr ? 1 : 0;
    return s;
}

// Runs f() for the C API: no exception leaves it.
template <typename R, typename F>
R guarded(F f)
{
    mini_mha_set_error("");
    try
    {
        return f();
    }
    catch(const std::exception& e)
    {
        mini_mha_set_error(e.what());
        return static_cast<R>(-2);
    }
}

// A tensor in the kernel's type.
class buffer
{
public:
    buffer(const mini_mha_problem& p, size_t n) : bf16_(std::string(p.dtype) == "bf16"), n_(n), bytes_(n * sizeof(float))
    {
    }
    buffer(const mini_mha_problem& p, size_t n, const float* from) : buffer(p, n)
    {
        if(!bf16_)
            std::memcpy(bytes_.data(), from, n * sizeof(float));
        else
            for(size_t i = 0; i < n; i++)
                static_cast<ck_tile::bf16_t*>(data())[i] = ck_tile::float_to_bf16(from[i]);
    }
    void* data() { return bytes_.data(); }
    void copy_to(float* to) const
    {
        if(!bf16_)
            std::memcpy(to, bytes_.data(), n_ * sizeof(float));
        else
            for(size_t i = 0; i < n_; i++)
                to[i] = ck_tile::bf16_to_float(reinterpret_cast<const ck_tile::bf16_t*>(bytes_.data())[i]);
    }

private:
    bool bf16_;
    size_t n_;
    std::vector<char> bytes_;
};

} // namespace mini_mha
