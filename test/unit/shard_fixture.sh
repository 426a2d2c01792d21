# shard_fixture.sh - an install tree of many blobs whose compiler takes no processor time: source it behind common.sh.
#
#   shard_tree COUNT     $T/i/ck_jit: blobs k0 … of different sizes; the compiler is runtime_shim.c, which logs in $T/log, and
#                        takes $SHIM_MS milliseconds, 1 without
#   prebuild …           its ckjit-prebuild
#   shards N OPTION…     what list prints for each of N shards, in $T/shard.0 …
#   whole N              they are disjoint and everything
# shellcheck shell=sh
need python3
# shellcheck disable=SC1091
. "${here:?}/unit/shim_fixture.sh"
unset CK_JIT_ROOT CK_JIT_NAME CK_JIT_MANIFEST CK_JIT_ARCH CK_JIT_JOBS CK_JIT_CACHE_DIR CK_JIT_VERBOSE CK_JIT_SHARD CK_JIT_TRACE
unset SLURM_ARRAY_TASK_ID SLURM_ARRAY_TASK_COUNT SLURM_ARRAY_TASK_MIN SLURM_ARRAY_TASK_MAX SLURM_ARRAY_TASK_STEP
unset OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE JOB_COMPLETION_INDEX
export CK_JIT_KFD_ROOT="$T/no-gpus" CK_JIT_JOB_MEMORY=0
I=$T/i/ck_jit

shard_tree() {
  mkdir -p "$I/src" "$T/control"
  cp "$B/bin/ckjit-compile" "$B/bin/ckjit-prebuild" "$I"
  shim "$T/fast" 1 "$T/template.so"
  python3 - "$1" "$T" "${SHIM_MS:-1}" <<'END'
import json, random, sys
count, T, ms = int(sys.argv[1]), sys.argv[2], sys.argv[3]
random.seed(count)
for n in range(count):
    open(f"{T}/i/ck_jit/src/k{n}.cu", "w").write(f"{n}\n" + "/" * random.randrange(1000, 9000))
flags = [f"--log={T}/log", f"--template={T}/template.so", f"--control={T}/control", f"--sleep={ms}"]
json.dump({"ckjit": 1, "libraries": ["lib.so"], "root": "", "compiler": f"{T}/fast",
           "blobs": {f"k{n}": {"source": f"{{root}}/src/k{n}.cu", "group": 0, "functions": ["value_"], "key": "%032x" % (n + 1)}
                     for n in range(count)},
           "groups": [{"flags": flags, "link": [], "archs": ["gfx942"]}]}, open(f"{T}/i/ck_jit/ck_jit_manifest.json", "w"))
END
  : >"$T/log"
}

prebuild() {
  "$I/ckjit-prebuild" "$@"
}

shards() {
  n_=$1 i_=0
  shift
  while [ $i_ -lt "$n_" ]; do
    prebuild list --shard $i_/"$n_" "$@" >"$T/shard.$i_" 2>"$T/shard.err" || fail "shard $i_/$n_ $*: $(cat "$T/shard.err")"
    i_=$((i_ + 1))
  done
}

whole() {
  i_=0
  while [ $i_ -lt "$1" ]; do
    cat "$T/shard.$i_"
    i_=$((i_ + 1))
  done | sort >"$T/union"
  prebuild list | sort | cmp -s - "$T/union" || fail "the $1 shards are not everything, each once: $(wc -l <"$T/union") lines"
}

# refused STATUS WORDS COMMAND...: the command must end with STATUS and a message that matches WORDS
refused() {
  status_=0 wanted_=$1 words_=$2
  shift 2
  "$@" >"$T/refused.out" 2>"$T/refused.err" || status_=$?
  [ "$status_" = "$wanted_" ] || fail "'$*' ended with status $status_, not $wanted_: $(cat "$T/refused.err")"
  grep -q -e "$words_" "$T/refused.err" || fail "'$*' did not say '$words_' but: $(cat "$T/refused.err")"
}
