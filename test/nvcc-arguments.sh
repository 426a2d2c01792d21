#!/bin/sh
# What is made of nvcc's command line is what nvcc does with it: a list as builds have them and mutations of these, held
# against `nvcc --dryrun`. `COUNT=20000 test/nvcc-arguments.sh` takes more, for longer.
# tier: check
# seconds: 8
. "${0%/*}/common.sh"
need python3 gcc
need_nvcc
seed
unset NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS
mkdir "$T/work"
echo >"$T/work/probe.cu"
(cd "$T/work" && "$nvcc" --dryrun -c probe.cu) >"$T/log" 2>&1 || skip "$nvcc does not run here: $(tail -n 1 "$T/log")"
[ -n "${COUNT-}" ] || limit='--seconds 50'
# shellcheck disable=SC2086 # words
python3 "$here/mutations/nvcc.py" --nvcc "$nvcc" --unit "$B/test/unit/nvccargs" --work "$T/work" --seed "$SEED" \
  --count "${COUNT:-800}" ${limit-} || fail 'the scanner and nvcc differ'
