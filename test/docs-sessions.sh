#!/bin/sh
# The sessions of docs/ that need neither a GPU nor HIP 7: their commands run as they stand there, with ckjit installed below a
# PREFIX, and print what the document says (test/sessions/replay.py). docs/tour.md has a test of
# its own, tour; docs-sessions-cuda and docs-sessions-slurm have what needs nvcc or Slurm; the rest of docs/fragments.md is in real-fragments, and of
# docs/export.md in real-export. docs-sessions-long replays those below the line with ALL_SESSIONS, too. What needs a GPU, PyTorch or
# hours is not written as a session.
# tier: all
# seconds: 100
. "${0%/*}/common.sh"
need_hipcc
need python3 ccache cmake pkg-config llvm-readelf-15 ld.lld-15 nm od
top=$(realpath "$here/..")
make -s -C "$top" B="$B" install PREFIX="$T/inst" >"$T/log" 2>&1 || fail "$(cat "$T/log")"
# What a reader of the documents has: ckjit on the PATH. Debian has LLVM's tools under their own names in this directory.
export PATH="$T/inst/bin:$PATH:/usr/lib/llvm-15/bin" PKG_CONFIG_PATH="$T/inst/lib/pkgconfig" LD_LIBRARY_PATH="$T/inst/lib" CKJIT="$top"

# replay DOC OPTION...: in a directory of its own, kept in $dir, with an empty cache
replay() {
  doc=$1
  shift
  dir=$T/${doc%.md}
  mkdir -p "$dir"
  CK_JIT_CACHE_DIR="$dir/cache" "$here/sessions/replay.py" "$top/docs/$doc" --in "$dir" "$@" >"$T/out" 2>&1 || fail "$(cat "$T/out")"
  cat "$T/out"
}

# first that it notices what is printed, what is not, and a document without a session
printf '    $ echo one; echo 2.5 s\n    one\n    3.5 s\n    $ seq 9\n    1\n    …\n    9\n    $ cat new\n    text\n    $ wc -l new\n    1 new\n' >"$T/good.md"
printf '    $ echo one\n    two\n' >"$T/other.md"
printf '    $ echo one\n' >"$T/more.md"
printf '    $ true\n    less\n' >"$T/less.md"
printf 'text\n' >"$T/none.md"
mkdir "$T/try"
for expected in 0.good 1.other 1.more 1.less 2.none; do
  status=0
  "$here/sessions/replay.py" "$T/${expected#*.}.md" --in "$T/try" >"$T/out" 2>&1 || status=$?
  is "${expected#*.}" "${expected%.*}" "$status"
done

# README's example has a home of the user's own, and commands of the build in it
mkdir "$T/data"
dir=$T/readme && mkdir "$dir"
XDG_DATA_HOME=$T/data CK_JIT_CACHE_DIR=$dir/cache "$here/sessions/replay.py" "$top/README.md" --in "$dir" >"$T/out" 2>&1 || fail "$(cat "$T/out")"
cat "$T/out"
replay explain.md --map "/src=$T/explain"
replay launchers.md --before "export CCACHE_DIR=$T/ccache"
replay units.md
replay cmake.md --before "export XDG_DATA_HOME=$T/data"
[ "${ALL_SESSIONS-}" ] || exit 0

replay api.md --before "ln -s $top/examples ." --map "/tmp/empty=$T/empty"
# python.md's reader has the wheel in a virtual environment
make -s -C "$top" B="$B" wheel >"$T/log" 2>&1 && python3 -m venv "$T/venv" >>"$T/log" 2>&1 && wheel=$(ls "$B"/wheel/*.whl) &&
  "$T/venv/bin/pip" install -q --no-index "$wheel" >>"$T/log" 2>&1 || fail "$(cat "$T/log")"
replay python.md --before "ln -s $top/examples .; unset PYTHONPATH LD_LIBRARY_PATH; PATH=$T/venv/bin:\$PATH"
replay serving.md --before "ln -s $top/examples ."
replay inside.md --before "ln -s $T/api/fam $T/serving/serve.py .; unset CK_JIT_CACHE_DIR CK_JIT_WARM" --map "/usr/local/bin=$T/inst/bin" --map "/home/u=$T/inside"
replay packs.md --before "export XDG_DATA_HOME=$T/data; unset CK_JIT_MANIFEST"
replay export.md --setup '^mkdir /tmp/scale' --map "/tmp/scale=$T/scale" --to '^The same two kernels in CUDA'
cp -r "$top/examples" "$T/examples"
replay matrix.md --before "cd $T; export CK_JIT_QUIET=1" --map "/tmp/kx=$T/kx"
replay ahead-of-time.md --map "/tmp/s=$T/ahead-of-time"
replay trace.md --setup '^mkdir /tmp/trace' --map "/tmp/trace=$T/traced" --order 'show.py$' --before "export XDG_DATA_HOME=$T/data"
has "the trace" 'ckjit-compile' "$T/traced/trace.json"
replay fragments.md --before "cd $top; export HIPCC=hipcc LLD=/usr/lib/llvm-15/bin CKJIT=$T/inst/bin" --map "/tmp/fragments=$T/fragments" \
  --map gfx942=gfx90a --to "^The content of a linked kernel"
replay workspace.md --before "cd $top; make() { [ \$# = 0 ] || command make \"\$@\"; }" --map "/tmp/=$T/workspace/" --map "/home/me/=$T/workspace/"
