// The C++ API of libmha_bwd.so.
#pragma once

#include "fmha_bwd.hpp"

#include <string>

namespace aiter {

using mha_bwd_args = fmha_bwd_args;

__attribute__((visibility("default"))) float mha_bwd(mha_bwd_args args, const ck_tile::stream_config& stream_config,
                                                     std::string q_dtype_str, bool is_group_mode, mask_enum mask_type,
                                                     bias_enum bias_type, bool is_deterministic);

} // namespace aiter
