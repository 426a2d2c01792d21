#!/usr/bin/env python3
"""Write the blobs of mini-flash, one specialisation to a file, as flash-attention's generate_kernels.py does.

    generate_kernels.py DIR
"""
import pathlib
import sys

TYPES = {"fp32": "float", "fp16": "__half", "bf16": "__nv_bfloat16"}

FWD = """// Written by generate_kernels.py.
#include "mini_flash_launch.h"

namespace MINI_FLASH_NAMESPACE {{

template<>
void run_mha_fwd_<{type}, {dim}, {causal}>(Fwd_params &params, cudaStream_t stream) {{
  run_mha_fwd_hdim<{type}, {dim}, {causal}>(params, stream);
}}

}}  // namespace MINI_FLASH_NAMESPACE
"""

SPLIT = """// Written by generate_kernels.py.
#include "mini_flash_launch.h"

namespace MINI_FLASH_NAMESPACE {{

template void run_mha_fwd_splitkv<{type}, {dim}, {causal}>(Fwd_params &params, cudaStream_t stream);

}}  // namespace MINI_FLASH_NAMESPACE
"""


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    for name, text in (("fwd", FWD), ("fwd_split", SPLIT)):
        for dim in (32, 64):
            for short, type_name in TYPES.items():
                for causal in ("false", "true"):
                    file = out / f"mini_{name}_hdim{dim}_{short}{'_causal' if causal == 'true' else ''}.cu"
                    content = text.format(type=type_name, dim=dim, causal=causal)
                    if not file.exists() or file.read_text() != content:
                        file.write_text(content)


if __name__ == "__main__":
    main()
