"""One call of flash-attention, for bench/cuda.py.

flash.py first NAME           seconds of the call, all that it compiles included; its result is held against PyTorch's
flash.py call NAME TOKENS     microseconds of a call, the median of 15 times 400 between CUDA events; of the extension alone
"""

import sys
import time

import torch
import torch._dynamo  # imported by the first call otherwise

BFLOAT, HALF = torch.bfloat16, torch.float16
CALLS = {  # dimension, causal, type
    "causal": (64, True, BFLOAT),
    "hdim32": (32, False, HALF),
    "hdim128": (128, False, BFLOAT),
    "backward": (128, False, BFLOAT),
}


def inputs(tokens, dim, dtype, grad=False, queries=None):
    torch.manual_seed(0)
    q, k, v = (
        torch.randn(2, n, 8, dim, device="cuda", dtype=dtype, requires_grad=grad)
        for n in (queries or tokens, tokens, tokens)
    )
    torch.cuda.synchronize()
    return q, k, v


def timed(call):
    start = time.time()
    result = call()
    torch.cuda.synchronize()
    return time.time() - start, result


def reference(q, k, v, causal=False):
    heads = (x.transpose(1, 2).float() for x in (q, k, v))
    return torch.nn.functional.scaled_dot_product_attention(*heads, is_causal=causal).transpose(1, 2)


def check(got, wanted, bound):
    error = (got.float() - wanted).abs().max().item()
    if not error < bound:
        sys.exit(f"the result is wrong: {error}")


def first_split():
    from flash_attn import flash_attn_with_kvcache

    q, k, v = inputs(1024, 128, BFLOAT, queries=1)
    lengths = torch.full((2,), 900, dtype=torch.int32, device="cuda")
    seconds, out = timed(lambda: flash_attn_with_kvcache(q, k, v, cache_seqlens=lengths))
    check(out, reference(q, k[:, :900], v[:, :900]), 0.02)
    return seconds


def first(name):
    from flash_attn import flash_attn_func

    if name == "split":
        return first_split()
    dim, causal, dtype = CALLS[name]
    q, k, v = inputs(1024, dim, dtype, grad=name == "backward")
    seconds, out = timed(lambda: flash_attn_func(q, k, v, causal=causal))
    wanted = reference(q, k, v, causal)
    check(out, wanted, 0.02)
    if name == "backward":
        g = torch.randn_like(out)
        seconds, grads = timed(lambda: torch.autograd.grad(out, (q, k, v), g))
        for got, want in zip(grads, torch.autograd.grad(wanted, (q, k, v), g.float())):
            check(got, want.float(), 0.05)
    return seconds


def call(name, tokens):
    sys.setdlopenflags(1)  # the stock extension has one blob of 72: symbols are bound when they are called
    import flash_attn_2_cuda as extension

    dim, causal, dtype = CALLS[name]
    q, k, v = inputs(tokens, dim, dtype)

    def once():
        extension.fwd(q, k, v, None, None, 0.0, dim**-0.5, causal, -1, -1, 0.0, False, None)

    def many():
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(400):
            once()
        end.record()
        torch.cuda.synchronize()
        return start.elapsed_time(end) / 400 * 1000

    for _ in range(20):
        once()
    torch.cuda.synchronize()
    return sorted(many() for _ in range(15))[7]


print(first(sys.argv[2]) if sys.argv[1] == "first" else call(sys.argv[2], int(sys.argv[3])))
