// The C++ API of libmha_fwd.so.
#pragma once

#include "fmha_fwd.hpp"

#include <string>

namespace aiter {

using mha_fwd_args         = fmha_fwd_args;
using mha_fwd_splitkv_args = fmha_fwd_splitkv_args;

__attribute__((visibility("default"))) float mha_fwd(mha_fwd_args args, const ck_tile::stream_config& stream_config,
                                                     std::string q_dtype_str, bool is_group_mode, mask_enum mask_type,
                                                     bias_enum bias_type, bool has_lse);

__attribute__((visibility("default"))) float
mha_fwd_splitkv(mha_fwd_splitkv_args args, const ck_tile::stream_config& stream_config, std::string q_dtype_str,
                bool is_group_mode, mask_enum mask_type, bias_enum bias_type, bool has_lse);

} // namespace aiter
