# build_fixture.sh - what the tests of ckjit-build and ckjit-prebuild stand on: source it behind common.sh.
#
# An installation whose post-build linker is a script, a ROCm home whose hipcc is the C++ compiler, and an aiter checkout
# whose compile.py makes one blob for each library. The real wrapper, ckjit-build, ckjit-compile and ckjit-prebuild
# work in them, in a second and on any machine.
# shellcheck shell=sh

need python3 c++ cc
unset ROCM_PATH ROCM_HOME HIP_PATH CXX CK_JIT_AITER_DIR CK_JIT_ROOT CK_JIT_NAME CK_JIT_MANIFEST CK_JIT_ARCH CK_JIT_JOBS
unset CK_JIT_CACHE_DIR CK_JIT_RUNTIME_SRC CK_JIT_VERBOSE CK_DIR MAX_JOBS JIT_WORKSPACE_DIR AITER_JIT_DIR
export CK_JIT_KFD_ROOT="$T/no-gpus"

# installation: $T/ckjit, on the PATH
installation() {
  mkdir -p "$T/ckjit/share/ckjit/runtime"
  cp -r "$B/bin" "$B/libexec" "$T/ckjit/"
  cp -r "${here:?}/../share/profiles" "$T/ckjit/share/ckjit/"
  echo 'int ckjit_test_version(void) { return 1; }' >"$T/ckjit/share/ckjit/runtime/ck_jit_runtime.c"
  # As the post-build linker is started (wrapper/exec.c) and what it leaves (docs/formats.md).
  rm -f "$T/ckjit/libexec/ckjit/ckjit-link"
  cat >"$T/ckjit/libexec/ckjit/ckjit-link" <<'END'
#!/usr/bin/env python3
import json, os, subprocess, sys
args = sys.argv[sys.argv.index("--") + 1:]
work = sys.argv[sys.argv.index("--work") + 1]
out = os.path.abspath(args[args.index("-o") + 1])
stem = os.path.basename(out)[:-3]
api = stem.split("_")[-1]
here = f"{work}/{stem}"
os.makedirs(f"{here}/objs", exist_ok=True)
obj = f"{here}/objs/runtime.o"
share = os.path.dirname(os.path.abspath(__file__)) + "/../../share/ckjit"
runtime_cc = ["cc", "-fPIC", "-c", "{runtime_src}", "-o", obj]
link = ["cc", "-shared", "{objs}", "-o", out]
subprocess.check_call([w.replace("{runtime_src}", share + "/runtime/ck_jit_runtime.c") for w in runtime_cc])
subprocess.check_call([obj if w == "{objs}" else w for w in link])
jit = lambda words: [w.replace(work, "{jit}") for w in words]
json.dump({"ckjit": 1, "out_so": jit([out])[0], "all_objs": jit([obj]), "arch_fl": [], "link": jit(link),
           "runtime_obj": jit([obj])[0], "runtime_cc": jit(runtime_cc)}, open(f"{here}/ck_jit_quick_rebuild.json", "w"))
srcs = f"aiter/jit/build/libmha_{api}/build/srcs"
blobs = {f"fmha_{api}_d64_{n}": {"source": f"{{root}}/{srcs}/fmha_{api}_d64_{n}.cu", "group": 0, "functions": ["kernel_"],
                                 "key": f"{n}" + ("f" if api == "fwd" else "b") * 31} for n in (1, 2)}
json.dump({"ckjit": 1, "libraries": [os.path.basename(out)], "root": os.environ["CK_JIT_BASE"],
           "compiler": "/nonexistent/hipcc", "blobs": blobs,
           "groups": [{"flags": ["-I{root}/csrc/include", "-I", "{root}/csrc/missing", "-O0"], "link": [],
                       "archs": ["gfx942", "gfx950"]}]}, open(f"{here}/ck_jit_manifest.json", "w"))
open(f"{here}/ck_jit_headers.txt", "w").write(f"{srcs}/beside.h\n")
END
  chmod +x "$T/ckjit/libexec/ckjit/ckjit-link"
  PATH=$T/ckjit/bin:$PATH
}

# rocm DIR: a ROCm home; its hipcc knows gfx90a, gfx942 and gfx950, and fails for sources with FAIL_HERE in their name
rocm() {
  mkdir -p "$1/bin" "$1/include/hip" "$1/lib" "$1/llvm/bin" "$1/.info"
  cat >"$1/bin/hipcc" <<'END'
#!/usr/bin/env python3
import os, sys
words = []
for a in sys.argv[1:]:
    if a.startswith("--offload-arch="):
        if a[15:].split(":")[0] not in ("gfx90a", "gfx942", "gfx950"):
            sys.exit(f"clang: error: invalid target ID '{a[15:]}'")
    elif "FAIL_HERE" in a and not a.startswith("-"):
        sys.exit(f"{a}:1:1: error: this kernel does not compile")
    elif not a.startswith("--offload"):
        words.append("c++" if a == "hip" else a)
if "-fsyntax-only" not in words:
    os.execvp("c++", ["c++"] + words)
END
  # shellcheck disable=SC2016 # expanded by the script that is written
  printf '#!/bin/sh\necho "hipconfig of ${ROCM_PATH-nothing}"\n' >"$1/bin/hipconfig"
  echo '#!/bin/sh' >"$1/bin/rocm-other"
  chmod +x "$1/bin/"*
  PATH=$1/bin:$PATH
}

# aiter DIR: a checkout; FAIL_API=fwd lets the build of one library fail
aiter() {
  mkdir -p "$1/op_tests/cpp/mha" "$1/aiter/jit/build/old" "$1/csrc/include" "$1/hsa/gfx942" "$1/3rdparty" "$1/.git"
  mkdir -p "$T/ck-elsewhere/include" && ln -s "$T/ck-elsewhere" "$1/3rdparty/composable_kernel"
  echo '#define LAUNCHED 1' >"$1/csrc/include/args.h"
  echo '#include "args.h"' >"$T/ck-elsewhere/include/ck.h"
  : >"$1/aiter/jit/libmha_fwd.so" && : >"$1/.git/HEAD" && echo code >"$1/hsa/gfx942/fmha.co"
  cat >"$1/op_tests/cpp/mha/compile.py" <<'END'
import os, shutil, subprocess, sys
api = sys.argv[2]
root = os.path.abspath(os.path.dirname(os.path.abspath(__file__)) + "/../../..")
for name in ".git", "aiter/jit/build", "aiter/jit/libmha_fwd.so":
    assert not os.path.exists(f"{root}/{name}"), name
assert os.path.exists(f"{root}/3rdparty/composable_kernel/include/ck.h") and os.path.exists(f"{root}/hsa/gfx942/fmha.co")
for name in "ROCM_PATH", "ROCM_HOME", "HIP_PATH":
    assert os.environ[name] == os.environ["CK_JIT_TMP_DIR"] + "/home", name
for name in "JIT_WORKSPACE_DIR", "AITER_JIT_DIR", "AITER_REBUILD":
    assert name not in os.environ, name
print("archs", os.environ["GPU_ARCHS"], os.environ["PYTORCH_ROCM_ARCH"], "bf16",
      os.environ.get("CK_TILE_FLOAT_TO_BFLOAT16_DEFAULT", "its own"), "is_fwd", os.environ["CK_JIT_IS_FWD"], flush=True)
if os.environ.get("FAIL_API") == api:
    sys.exit("\n".join(f"line {i}" for i in range(100)) + "\nno such kernel")
srcs = f"{root}/aiter/jit/build/libmha_{api}/build/srcs"
os.makedirs(srcs)
open(f"{srcs}/beside.h", "w").write("#include <args.h>\ntemplate <int N> float kernel_();\n")
objs = []
for n in 1, 2:
    source = f"{srcs}/fmha_{api}_d64_{n}.cu"
    open(source, "w").write(f'#include "beside.h"\ntemplate <> float kernel_<{n}>() {{ return LAUNCHED; }}\n')
    objs.append(source[:-3] + ".o")
    subprocess.check_call([os.environ["ROCM_PATH"] + "/bin/hipcc", "-x", "hip", f"-I{root}/csrc/include", "-fPIC",
                           "--offload-arch=gfx942", "-c", source, "-o", objs[-1]])
so = f"{root}/op_tests/cpp/mha/libmha_{api}.so"
if os.environ.get("NO_LINK") != api:
    subprocess.check_call([os.environ["CXX"], *objs, "-shared", "-o", so])
END
}

# refused STATUS WORDS COMMAND...: the command must end with STATUS and a message that matches WORDS
refused() {
  status_=0
  wanted_=$1 words_=$2
  shift 2
  "$@" >"$T/refused.out" 2>"$T/refused.err" || status_=$?
  [ "$status_" = "$wanted_" ] || fail "'$*' ended with status $status_, not $wanted_: $(cat "$T/refused.err")"
  grep -q -e "$words_" "$T/refused.err" || fail "'$*' did not say '$words_' but: $(cat "$T/refused.err")"
}

# files DIR: names, sizes and times of all in it
files() {
  (cd "$1" && find . -printf '%p %s %T@ %l\n' | sort)
}
