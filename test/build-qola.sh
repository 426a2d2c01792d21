#!/bin/sh
# full --with-qola builds the libraries of a manifest with QoLA, against the fake home: their names,
# its linker script and its output are QoLA's, and neither QoLA nor the checkout changes. quick
# installs them. What is no QoLA, and no manifest, is refused before anything is made.
# tier: all
# seconds: 12
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
need hipcc
need_hipcc
PATH=$B/bin:$PATH
aiter "$T/aiter"
: >"$T/aiter/aiter/jit/core.py"
mkdir -p "$T/qola/qola/cpp_itfs" "$T/qola/3rdparty"
: >"$T/qola/qola/__init__.py"
: >"$T/qola/3rdparty/none"
echo '{ global: *qola*; local: *; };' >"$T/qola/qola/cpp_itfs/exports.lds"
cat >"$T/qola/qola/cli.py" <<'END'
import argparse, os, re, shutil, subprocess
here = os.path.dirname(os.path.abspath(__file__))
parser = argparse.ArgumentParser()
build = parser.add_subparsers(required=True).add_parser("build")
for name in "manifest", "aiter-root", "output-dir", "arch":
    build.add_argument("--" + name, required=True)
args = parser.parse_args()
text = open(args.manifest).read()
print("arch", args.arch, os.environ["GPU_ARCHS"], "is_fwd", os.environ.get("CK_JIT_IS_FWD"),
      flush=True)
assert os.path.exists(args.aiter_root + "/csrc/include/args.h")
assert not os.path.exists(here + "/../3rdparty")
hipcc, cxx = os.environ["ROCM_PATH"] + "/bin/hipcc", os.environ["CXX"]
if "fails" in text:
    raise SystemExit("error: no module fails")
open(here + "/cpp_itfs/qola_config.h", "w").write("#define QOLA_NAMESPACE te\n")
os.makedirs(args.output_dir + "/lib", exist_ok=True)
os.makedirs(args.output_dir + "/include", exist_ok=True)
shutil.copy(here + "/cpp_itfs/qola_config.h", args.output_dir + "/include")
for name, receipt in re.findall(r'name = "(\w+)"\nreceipt = (\d+)', text):
    dir = f"{args.output_dir}/_jit_build/build/te_{name}/build"
    os.makedirs(dir + "/srcs", exist_ok=True)
    objs = []
    open(f"{dir}/srcs/beside.h", "w").write(f"template <int N> float kernel_{name}();\n")
    for n in 1, 2:
        source = f"{dir}/srcs/{name[3:]}_r{receipt}_{n}.cu"
        open(source, "w").write(f'#include <args.h>\n#include "beside.h"\n'
                                f'template <> float kernel_{name}<{n}>() {{ return LAUNCHED; }}\n')
        objs.append(source[:-3] + ".o")
        subprocess.check_call([hipcc, "-x", "c++", f"-I{args.aiter_root}/csrc/include", "-fPIC",
                               "-fvisibility=hidden", "-c", source, "-o", objs[-1]])
    host = dir + "/qola.cpp"
    objs.append(host[:-4] + ".o")
    call = f"kernel_{name}<1>() + kernel_{name}<2>()"
    open(host, "w").write(f"template <int N> float kernel_{name}();\n"
                          f"float qola_{name}() {{ return {call}; }}\n")
    subprocess.check_call([cxx, "-fPIC", "-c", host, "-o", objs[-1]])
    subprocess.check_call([cxx, *objs, "-shared", "-o", f"{dir}/te_{name}.so",
                           f"-Wl,--version-script,{here}/cpp_itfs/exports.lds"])
    shutil.copy(f"{dir}/te_{name}.so", args.output_dir + "/lib")
END
manifest() {
  printf '[qola]\nnamespace = "te"\n'
  for name in "$@"; do
    printf '\n[[modules]]\nname = "%s"\nreceipt = 700\n' "$name"
  done
}
manifest libmha_fwd libmha_bwd >"$T/te.toml"
before=$(files "$T/qola" && files "$T/aiter")
full() {
  ckjit-build full --aiter-dir "$T/aiter" --gpu-archs gfx90a --tmp-dir "$T/w" --with-qola \
    --qola-dir "$T/qola" --qola-manifest "$T/te.toml" "$@" >"$T/out" 2>&1
}
full --install-dir "$T/i" --verbose || fail "full: $(cat "$T/out")"
has "what QoLA is told" '[qola] arch gfx90a gfx90a is_fwd None' "$T/out"
is "QoLA and the checkout" "$before" "$(files "$T/qola" && files "$T/aiter")"
is "installed" "ck_jit te_libmha_bwd.so te_libmha_fwd.so" "$(cd "$T/i" && echo *)"
is "kernels" "mha_bwd_r700_1 mha_bwd_r700_2 mha_fwd_r700_1 mha_fwd_r700_2" \
  "$(ckjit-prebuild list --manifest "$T/i/ck_jit/ck_jit_manifest.json" | sort | paste -sd ' ')"
nm -D --defined-only "$T/i/te_libmha_fwd.so" | sed 's/.* //' >"$T/names"
is "exported, by the linker script" _Z15qola_libmha_fwdv "$(cat "$T/names")"
is "output" "include lib" "$(cd "$T/w/qola" && echo *)"
is "libraries in it" "te_libmha_bwd.so te_libmha_fwd.so" "$(cd "$T/w/qola/lib" && echo *)"

# again, with another output; then with another manifest, and another QoLA
full --qola-output "$T/elsewhere" || fail "again: $(cat "$T/out")"
[ -s "$T/elsewhere/lib/te_libmha_fwd.so" ] && [ -s "$T/elsewhere/include/qola_config.h" ] ||
  fail "--qola-output: $(find "$T/elsewhere")"
lacks 'nothing changed' '^rebuild' "$T/out"
manifest libmha_fwd >"$T/te.toml"
sed -i 's/^args = /build.add_argument("--skip-checkout", action="store_true", required=True)\n&/' \
  "$T/qola/qola/cli.py"
full || fail "one module, by a QoLA that has --skip-checkout: $(cat "$T/out")"
has "the manifest" "QoLA's libraries: QoLA's files or the manifest changed" "$T/out"
is "its libraries" te_libmha_fwd "$(cd "$T/w" && echo te_*)"
ckjit-build quick --tmp-dir "$T/w" --install-dir "$T/quick" >"$T/out" 2>&1 ||
  fail "quick: $(cat "$T/out")"
is "quick" "ck_jit te_libmha_fwd.so" "$(cd "$T/quick" && echo *)"

# what cannot be built
echo '# fails' >>"$T/te.toml"
full && fail 'a QoLA that fails: status 0'
has "the reason" 'error: no module fails' "$T/out"
has "the command" 'qola: -m qola.cli build --manifest' "$T/out"
manifest >"$T/te.toml"
echo '[[modules]]' >>"$T/te.toml"
full && fail 'no library: status 0'
has "no library" 'qola: the build ended without linking a library through ckjit' "$T/out"
echo '{"name": "te"}' >"$T/te.toml"
refused() {
  status_=0 wanted_=$1 words_=$2
  shift 2
  ckjit-build full --aiter-dir "$T/aiter" --gpu-archs gfx90a --tmp-dir "$T/w3" "$@" \
    >"$T/out" 2>&1 || status_=$?
  is "$*" "$wanted_" $status_
  has "$*" "$words_" "$T/out"
}
qola="--with-qola --qola-dir $T/qola" manifest="--qola-manifest $T/te.toml"
# shellcheck disable=SC2086 # words
{
  refused 1 "te.toml: is no manifest of QoLA: it has no [[modules]]" $qola $manifest
  refused 1 "no.toml: cannot be read: No such file" $qola --qola-manifest "$T/no.toml"
  refused 1 "no qola/cli.py in it; expected a checkout of QoLA" \
    --with-qola --qola-dir "$T/aiter" $manifest
  refused 2 "--with-qola goes with --qola-manifest" $qola
  refused 2 "--qola-dir goes with --with-qola" --qola-dir "$T/qola"
  refused 2 "--with-qola cannot be combined with --api" $qola $manifest --api fwd
}
sed -i 's/"--skip-checkout"/"--aiter-commit"/' "$T/qola/qola/cli.py"
manifest libmha_fwd >"$T/te.toml"
# shellcheck disable=SC2086 # words
refused 1 "this QoLA checks aiter out itself" $qola $manifest
[ ! -e "$T/w3" ] || fail "made: $(ls "$T/w3")"
