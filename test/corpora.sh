#!/bin/sh
# How many units of real libraries are lazy: each corpus's sources are made by its own generator, compiled through a fake home, and the
# records counted. The share of lazy units is never below that of test/corpora/expected, and no unit of aiter's opus_gemm is a blob that
# would lack a sibling's kernels. docs/corpora.md explains the table. No kernel is compiled and no compiler is needed.
#
# The sources: CK's FMHA generator and flash-attention 2 come from PyPI. Name checkouts for the rest; without one its corpora are left out:
#
#     CKJIT_CORPUS_AITER=DIR             ROCm/aiter; its generators need Python's pandas, packaging and psutil, from PyPI
#     CKJIT_CORPUS_FLASH_ATTENTION=DIR   Dao-AILab/flash-attention, for hopper/
#     CKJIT_CORPUS_MAMBA=DIR             state-spaces/mamba
#     CKJIT_CORPUS_FLASHMLA=DIR          deepseek-ai/FlashMLA
#     CKJIT_CORPUS_CK=DIR                a composable_kernel to take the place of PyPI's; then flash-attention 2 is of its checkout
#
# `test/corpora.sh --table` prints the rows of docs/corpora.md as well.
# tier: long
# timeout: 7200
. "${0%/*}/common.sh"
need python3
tools=$B/toolchain/corpora
mkdir -p "$tools" "$T/gen"
fake_home "$T/hip"
fake_home "$T/cuda" kind=cuda compiler=nvcc
cp "$B/libexec/ckjit/ckjit-wrap" "$T/cuda/bin/nvcc"
printf 'dispatcher=%s\n' 'fmha_*_api.*' >>"$T/hip/ckjit.conf"

# record CORPUS HOME COMPILER FLAGS: the sources named on standard input, relative to the current directory, and a row of the counts
record() {
  corpus=$1 home=$2 compiler=$3
  shift 3
  rm -rf "$T/$home/wdir" && mkdir "$T/$home/wdir"
  sort >"$T/sources"
  [ -s "$T/sources" ] || fail "$corpus: no sources; see $T/gen"
  while read -r source; do
    "$T/$home/bin/$compiler" "$@" -c "$source" -o "$T/x.o" || fail "$corpus: $source: status $?"
  done <"$T/sources"
  [ "$corpus" != aiter-opus ] || lacks 'a unit that launches a kernel of a sibling' '"kind":"blob".*all_instances_host' "$T/$home/wdir/manifest.json.ndjson"
  python3 - "$corpus" "$T/$home/wdir/manifest.json.ndjson" >>"$T/counts" <<'END'
import collections, json, sys

unsure = {"nothing", "macro", "deleted", "declarator", "conditional", "not-read"}
n = collections.Counter()
why = collections.Counter()
for line in open(sys.argv[2], encoding="utf-8"):
    r = json.loads(line)
    kind, rule = r["kind"], r.get("rule", "")
    if kind == "host" and rule in unsure:
        kind = "unsure"
    n[kind] += 1
    if kind in ("host", "unsure"):
        why[rule] += 1
reasons = " ".join(f"{rule}:{count}" for rule, count in why.most_common())
print(sys.argv[1], sum(n.values()), n["blob"], n["dispatcher"], n["host"], n["unsure"], reasons)
END
  tail -n 1 "$T/counts"
}

# ---- CK and flash-attention 2 ----

ck=${CKJIT_CORPUS_CK-}
if [ -z "$ck" ] && "$here/toolchain/ck-source" "$B/toolchain/ck" >"$T/ck.log" 2>&1; then
  ck=$B/toolchain/ck/composable_kernel
  tar -xzf "$B"/toolchain/ck/flash*attn-*.tar.gz -C "$tools" --strip-components=1 --wildcards '*/csrc/flash_attn/src/*'
  (cd "$tools" && find csrc/flash_attn/src -name '*.cu' | record flash-attention-2 cuda nvcc -Icsrc/flash_attn/src)
fi
for receipt in 600 2 4; do
  [ -n "$ck" ] || break
  gen=$T/gen/fmha-$receipt
  for api in fwd fwd_splitkv fwd_appendkv batch_prefill bwd; do
    python3 "$ck/example/ck_tile/01_fmha/generate.py" -d $api --receipt $receipt -o "$gen" >"$gen.log" 2>&1 || fail "CK's generator: $(tail -n 1 "$gen.log")"
  done
  (cd "$gen" && find . -name '*.cpp' | record ck-fmha-$receipt hip hipcc -x hip -I"$ck/include" -I"$ck/example/ck_tile/01_fmha")
done

# ---- checkouts for CUDA ----

flash=${CKJIT_CORPUS_FLASH_ATTENTION-}
if [ -n "$flash" ]; then
  # the units that hopper/setup.py compiles if nothing is disabled, by its own lines
  (cd "$flash/hopper" && python3 - <<'END' | record flash-attention-3 cuda nvcc -I.
import collections, itertools, re, textwrap

text = open("setup.py", encoding="utf-8").read()
lines = re.search(r"\n( +DTYPE_FWD_SM80 = .*?)\n +if DISABLE_BACKWARD:", text, re.S)[1]
names = collections.defaultdict(bool, itertools=itertools)
exec(re.sub(r"DISABLE_\w+", "False", textwrap.dedent(lines)), names)
for kind in "fwd_sm80", "fwd_sm90", "bwd_sm80", "bwd_sm90":
    print("\n".join(names["sources_" + kind]))
END
  )
fi
mamba=${CKJIT_CORPUS_MAMBA-}
[ -z "$mamba" ] || (cd "$mamba" && find csrc/selective_scan -name '*.cu' -o -name '*.cpp' | record mamba-ssm cuda nvcc -Icsrc/selective_scan)
mla=${CKJIT_CORPUS_FLASHMLA-}
[ -z "$mla" ] || (cd "$mla" && find csrc/api csrc/sm90 csrc/sm100 csrc/smxx -name '*.cu' -o -name '*.cpp' | record flashmla cuda nvcc -Icsrc -Icsrc/sm90)

# ---- aiter ----

aiter=${CKJIT_CORPUS_AITER-}
if [ -n "$aiter" ]; then
  aiter=$(cd "$aiter" && pwd)
  [ -x "$tools/venv/bin/python" ] || python3 -m venv "$tools/venv"
  "$tools/venv/bin/pip" install -q pandas packaging psutil >"$T/pip.log" 2>&1 || skip "pandas cannot be installed: $(tail -n 1 "$T/pip.log")"
  # what the generators ask PyTorch for is whether there is a GPU
  mkdir -p "$T/stubs/torch"
  printf 'class cuda:\n    is_available = staticmethod(lambda: False)\n' >"$T/stubs/torch/__init__.py"
  printf 'def torch_compile_guard(*a, **k):\n    return lambda f: f\n' >"$T/stubs/torch_guard.py"
  # aiter_units CORPUS MODULE [WORD…]: the units that MODULE's generator, called with WORDS, writes
  aiter_units() {
    corpus_=$1 generator=$2
    shift 2
    gen=$T/gen/$corpus_ module=$aiter/csrc/${generator%/*}
    mkdir "$gen"
    (cd "$aiter" && env PYTHONPATH="$T/stubs" PYTHONDONTWRITEBYTECODE=1 GPU_ARCHS='gfx942;gfx950' CU_NUM=304 \
      "$tools/venv/bin/python" "csrc/$generator" --working_path "$gen" "$@") >"$gen.log" 2>&1 ||
      fail "$generator: $(tail -n 1 "$gen.log")"
    (cd "$gen" && find . -name '*.cu' -o -name '*.cpp' | record "$corpus_" hip hipcc -x hip -I"$gen" -I"$module" -I"$module/include" -I"$aiter/csrc/include")
  }
  aiter_units aiter-a8w8 ck_gemm_a8w8/gen_instances.py --tune
  aiter_units aiter-a8w8-blockscale ck_gemm_a8w8_blockscale/gen_instances.py --tune
  aiter_units aiter-a8w8-blockscale-cktile ck_gemm_a8w8_blockscale/gen_instances_cktile.py --tune
  aiter_units aiter-a8w8-blockscale-bpreshuffle ck_gemm_a8w8_blockscale_bpreshuffle/gen_instances.py --tune
  aiter_units aiter-a8w8-bpreshuffle ck_gemm_a8w8_bpreshuffle/gen_instances.py --tune
  aiter_units aiter-a8w8-bpreshuffle-cktile cktile_gemm_a8w8_bpreshuffle/gen_instances.py --tune
  aiter_units aiter-a4w4-blockscale ck_gemm_a4w4_blockscale/gen_instances.py --tune
  aiter_units aiter-deepgemm ck_deepgemm/gen_instances.py
  aiter_units aiter-batched-a8w8 ck_batched_gemm_a8w8/gen_instances.py --tune
  aiter_units aiter-batched-bf16 ck_batched_gemm_bf16/gen_instances.py --tune
  aiter_units aiter-moe ck_gemm_moe_2stages_codegen/gen_instances.py
  aiter_units aiter-moe-cktile ck_tile_gemm_moe_2stages/gen_instances.py
  aiter_units aiter-moe-mxfp4 kernels/mxfp4_moe/moe_aux/codegen/gen_instances.py
  aiter_units aiter-opus opus_gemm/gen_instances.py --tune_files "$aiter/aiter/configs/bf16_tuned_gemm.csv"
  aiter_units aiter-opus-moe opus_moe/gen_instances.py
fi
[ -s "$T/counts" ] || skip "no corpus can be had here: see the head of test/corpora.sh"

# ---- the verdict ----

# fallen EXPECTED COUNTS: the corpora whose share of lazy units is below what is expected, and those without a row
fallen() {
  awk '
    FILENAME == ARGV[1] && !/^#/ { units[$1] = $2; lazy[$1] = $3 + $4; next }
    /^#/ { next }
    !($1 in units) { print $1 " has no row in test/corpora/expected: " $0; next }
    ($3 + $4) * units[$1] < lazy[$1] * $2 { print $1 ": " $3 + $4 " of " $2 " units are lazy, not " lazy[$1] " of " units[$1] ": " $0 }
  ' "$1" "$2"
}
# one lazy unit less is noticed, and so is a corpus that nobody knows
awk '{ print $1, $2, $3 + $4 - 1, 0, $5, $6 } NR == 1 { print "unknown 1 1 0 0 0" }' "$T/counts" >"$T/less"
awk '$3 + $4 > 0' "$T/counts" | wc -l >"$T/want"
[ "$(fallen "$here/corpora/expected" "$T/less" | grep -c 'units are lazy\|unknown')" -gt "$(cat "$T/want")" ] || fail "a fallen count is not noticed"
fallen "$here/corpora/expected" "$T/counts" >"$T/fallen"
[ ! -s "$T/fallen" ] || fail "$(cat "$T/fallen")"
[ "${1-}" != --table ] || awk '{ why = ""; for (i = 7; i <= NF; i++) why = why " " $i; print "| " $1, $2, $3, $4, $5, $6, why " |" }' OFS=' | ' "$T/counts"
