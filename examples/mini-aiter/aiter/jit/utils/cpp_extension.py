"""Where the ROCm home is, and the ninja file: the part that PyTorch's extension builder plays for aiter."""
import os
import re
import shlex
import shutil
import subprocess

CFLAGS = ["-fPIC", "-std=c++17", "-O2"]  # c++20 as aiter has it makes libstdc++'s headers a third slower
HIP_FLAGS = ["-D__HIP_PLATFORM_AMD__=1", "-DUSE_ROCM=1", "-DHIPBLAS_V2"]
HIPCC_FLAGS = [
    "-DCUDA_HAS_FP16=1",
    "-D__HIP_NO_HALF_OPERATORS__=1",
    "-D__HIP_NO_HALF_CONVERSIONS__=1",
    "-mcmodel=large",
    "-ffunction-sections",
    "-fdata-sections",
    "-fvisibility=hidden",
    "-fvisibility-inlines-hidden",
]
LDFLAGS = ["-shared", "-mcmodel=large", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"]


def rocm_home():
    home = os.environ.get("ROCM_HOME") or os.environ.get("ROCM_PATH")
    if home:
        return home
    hipcc = shutil.which("hipcc")
    if hipcc is None:
        raise SystemExit("no hipcc: put it in PATH, or set ROCM_HOME")
    return os.path.dirname(os.path.dirname(os.path.realpath(hipcc)))


def hip_version():
    hipconfig = shutil.which("hipconfig") or os.path.join(rocm_home(), "bin", "hipconfig")
    text = subprocess.check_output([os.path.realpath(hipconfig), "--version"], text=True)
    found = re.search(r"(\d+)\.(\d+)", text)
    if not found:
        raise SystemExit(f"{hipconfig} --version said {text!r}; expected a version such as 6.4.43483")
    return tuple(map(int, found.groups()))


def is_cuda_file(path):
    return os.path.splitext(path)[1] in (".cu", ".cuh", ".hip")


def object_name(source):
    stem = os.path.splitext(os.path.basename(source))[0]
    return f"{stem}.cuda.o" if is_cuda_file(source) else f"{stem}.o"


def ninja_file(name, sources, hip_flags, include_paths):
    home = rocm_home()
    cflags = [f"-I{shlex.quote(path)}" for path in include_paths] + CFLAGS
    cuda_cflags = ["-DWITH_HIP"] + cflags + HIP_FLAGS + HIPCC_FLAGS + hip_flags + ["-fno-gpu-rdc"]
    ldflags = LDFLAGS + [f"-L{shlex.quote(os.path.join(home, 'lib'))}", "-lamdhip64"]
    objects = [object_name(source) for source in sources]
    builds = [
        f"build {obj}: {'cuda_compile' if is_cuda_file(source) else 'compile'} {source}"
        for source, obj in zip(sources, objects)
    ]
    return f"""ninja_required_version = 1.3
cxx = {os.environ.get("CXX", "c++")}
nvcc = {os.path.join(home, "bin", "hipcc")}

cflags = {" ".join(cflags)}
post_cflags = {" ".join(HIP_FLAGS)}
cuda_cflags = {" ".join(cuda_cflags)}
cuda_post_cflags =
ldflags = {" ".join(ldflags)}

rule compile
  command = $cxx -MMD -MF $out.d $cflags -c $in -o $out $post_cflags
  depfile = $out.d
  deps = gcc

rule cuda_compile
  command = $nvcc  $cuda_cflags -c $in -o $out $cuda_post_cflags

rule link
  command = $cxx @$out.rsp $ldflags -o $out
  rspfile = $out.rsp
  rspfile_content = $in

{chr(10).join(builds)}

build {name}.so: link {" ".join(objects)}

default {name}.so
"""


def write_ninja_and_build(name, sources, hip_flags, include_paths, build_dir):
    with open(f"{build_dir}/build.ninja", "w") as f:
        f.write(ninja_file(name, sources, hip_flags, include_paths))
    jobs = os.environ.get("MAX_JOBS") or str(max(1, int(os.cpu_count() * 0.8)))
    subprocess.run(["ninja", "-v", "-j", jobs], cwd=build_dir, check=True)
    return f"{build_dir}/{name}.so"
