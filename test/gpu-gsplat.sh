#!/bin/bash
# gsplat, a PyTorch extension of 20 CUDA sources, by pip install: all of them are late, the build takes less than 0.45 of the
# processor time of the regular one, and on a GPU the forward pass is the regular one's, bit for bit. CKJIT_GSPLAT names its source
# distribution (1.5.3), CKJIT_WHEELS a directory with wheels of jaxtyping, rich and ninja and what these need.
# tier: long
# seconds: 400
. "${0%/*}/common.sh"
need python3
[ -e "${CKJIT_GSPLAT:-}" ] || skip 'CKJIT_GSPLAT names no source distribution of gsplat'
python3 -c 'import torch; torch.zeros(1, device="cuda")' 2>/dev/null || skip 'no PyTorch with a GPU'
cd "$T" || exit
TORCH_CUDA_ARCH_LIST=$(python3 -c 'import torch; print("%d.%d" % torch.cuda.get_device_capability())')
export TORCH_CUDA_ARCH_LIST CK_JIT_CACHE_DIR="$T/cache" PYTHONWARNINGS=ignore
MAX_JOBS=${MAX_JOBS:-$(nproc)}
export MAX_JOBS
cat >forward.py <<'P'
import hashlib, sys, time, torch
from gsplat import rasterization
torch.manual_seed(0)
n, on = 2000, dict(device="cuda")
means, quats = torch.randn(n, 3, **on), torch.randn(n, 4, **on)
quats = quats / quats.norm(dim=-1, keepdim=True)
scales, opacities, colors = torch.rand(n, 3, **on) * 0.1, torch.rand(n, **on), torch.rand(n, 3, **on)
view = torch.eye(4, **on)[None].clone()
view[:, 2, 3] = 5.0
camera = torch.tensor([[300.0, 0, 150], [0, 300.0, 100], [0, 0, 1]], **on)[None]
def run(m):
    begin = time.time()
    out = rasterization(m, quats, scales, opacities, colors, view, camera, 300, 200)
    torch.cuda.synchronize()
    return out, time.time() - begin
out, first = run(means)
print(hashlib.sha256(b"".join(o.cpu().numpy().tobytes() for o in out[:2])).hexdigest())
leaf = means.clone().requires_grad_(True)
run(leaf)[0][0].sum().backward()
print("%.3f" % (leaf.grad.abs().sum().item() / 1000), file=sys.stderr)
print("first %.2f s, second %.4f s" % (first, run(means)[1]), file=sys.stderr)
P
install() { # NAME COMMAND…: gsplat into ./NAME; processor seconds in ./NAME.cpu
  name=$1
  shift
  if [ "${CKJIT_WHEELS:-}" ]; then
    python3 -m pip install -q --no-index --find-links "$CKJIT_WHEELS" --target "$name" jaxtyping rich ninja || fail 'its requirements'
  else
    python3 -m pip install -q --target "$name" jaxtyping rich ninja || fail 'its requirements'
  fi
  cpu
  before=$seconds
  PATH=$T/$name/bin:$PATH PYTHONPATH=$T/$name "$@" python3 -m pip install -q --no-index --no-build-isolation --no-deps --no-cache-dir \
    --upgrade --target "$name" "$CKJIT_GSPLAT" >"$name.log" 2>&1 || fail "$name: $(tail -n 20 "$name.log")"
  cpu
  echo "$((seconds - before))" >"$name.cpu"
}
cpu() { # $seconds: of the children that have ended
  times >spent
  seconds=$(awk 'NR == 2 { n = 0; for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); n += t[1] * 60 + t[2] } printf "%d\n", n }' spent)
}
install stock env
install lazy "$B/bin/ckjit" run --dir "$T/home" --profile cuda --units --
echo "processor seconds: $(cat stock.cpu) with nvcc, $(cat lazy.cpu) with ckjit"
has 'the link' '20 blobs are lazy' home/work/csrc/summary.txt
[ "$(($(cat lazy.cpu) * 100))" -lt "$(($(cat stock.cpu) * 45))" ] || fail 'the build is not below 0.45'
for name in stock lazy lazy; do
  PYTHONPATH=$T/$name python3 forward.py >"$name.out" 2>"$name.err" || fail "$name: $(cat "$name.err")"
  sed -n '/^first/p' "$name.err"
  is "$name: the image" "$(cat stock.out)" "$(cat "$name.out")"
done
