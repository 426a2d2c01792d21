#!/bin/sh
# home --profile cuda: what is in the fake home of CUDA and what is exported, and that mistakes are named.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/cuda_fixture.sh"
mini
unset LD_LIBRARY_PATH
real=$made/toolkit
cd "$T"
home() {
  "$B/bin/ckjit-build" home --dir "$T/h" --profile cuda "$@"
}
for way in option variable path; do
  rm -rf h
  case $way in
  option) home --cuda "$real" >exports ;;
  variable) CUDA_PATH=$real home >exports ;;
  path) env PATH="$real/bin:$PATH" "$B/bin/ckjit-build" home --dir "$T/h" --profile cuda >exports ;;
  esac || fail "$way: no home"
  is "$way: the real one" "$real" "$(sed -n 's/^real_home=//p' h/ckjit.conf)"
done
for name in "$real"/* "$real"/bin/*; do
  mine=$T/h/${name#"$real"/}
  case ${name#"$real"/} in
  bin | bin/nvcc) [ ! -h "$mine" ] || fail "$mine is a link" ;;
  *) is "$mine" "$(realpath "$name")" "$(realpath "$mine")" ;;
  esac
done
for name in nvcc c++ g++ gcc cc x86_64-linux-gnu-g++ ckjit-cxx; do
  cmp -s "h/bin/$name" "$B/libexec/ckjit/ckjit-wrap" || fail "bin/$name is not the wrapper"
done
# exported WORDS...: what they come to in a shell that has read what is exported
exported() {
  # shellcheck disable=SC2016 # expanded by the inner shell
  sh -c '. ./exports; eval "$1"' sh "$*"
}
for name in CUDA_HOME CUDA_PATH CUDAToolkit_ROOT; do
  is "$name" "$T/h" "$(exported printenv $name)"
done
is "CXX" "$T/h/bin/ckjit-cxx" "$(exported printenv CXX)"
is "CUDACXX" "$T/h/bin/nvcc" "$(exported printenv CUDACXX)"
is "CUDAHOSTCXX" "$T/h/bin/ckjit-cxx" "$(exported printenv CUDAHOSTCXX)"
is "nvcc on the PATH" "$T/h/bin/nvcc" "$(exported command -v nvcc)"
exported nvcc --version | grep -q 'Cuda compilation tools' || fail "nvcc --version does not come from nvcc"
home --cuda "$real" >again
for file in exports again; do sed '/^ckjit_deactivate/d' $file >$file.only; done # which restores what was there
cmp exports.only again.only || fail "made twice, it exports something else"

# a script on the PATH that starts nvcc: nvcc says of which home it is
mkdir -p scripts/bin
printf '#!/bin/sh\nexec "%s/bin/nvcc" "$@"\n' "$cuda" >scripts/bin/nvcc
chmod +x scripts/bin/nvcc
PATH="$T/scripts/bin:$PATH" "$B/bin/ckjit-build" home --dir "$T/h3" --profile cuda >/dev/null
is "the home of a script's nvcc" "real_home=$cuda" "$(grep '^real_home=' h3/ckjit.conf)"

refused 1 'no real compiler at .*/none/bin/nvcc' home --cuda "$T/none"
mkdir -p none/bin
refused 1 'no real compiler at .*/none/bin/nvcc' home --cuda "$T/none"
refused 1 "CK_JIT_NVCC='/none' is not there" env CK_JIT_NVCC=/none "$B/bin/ckjit-build" home --dir "$T/h2" --profile cuda
if [ ! -e /usr/local/cuda/bin/nvcc ] && [ ! -e /opt/cuda/bin/nvcc ] && [ ! -e /usr/bin/nvcc ]; then
  refused 1 'no real nvcc: not in CUDA_HOME, CUDA_PATH, the PATH' env PATH=/usr/bin:/bin "$B/bin/ckjit-build" home --dir "$T/h2" --profile cuda
fi
refused 1 'wrapper of a fake home' env CK_JIT_NVCC="$T/h/bin/nvcc" "$B/bin/ckjit-build" home --dir "$T/h2" --profile cuda

# a home of HIP does not become one of CUDA under a build that goes on in it
mkdir -p rocm/bin && printf '#!/bin/sh\n' >rocm/bin/hipcc && chmod +x rocm/bin/hipcc
"$B/bin/ckjit-build" home --dir "$T/hip" --rocm "$T/rocm" >/dev/null
refused 1 "hip is a fake home for kind 'hip', and the profile is for kind 'cuda'" "$B/bin/ckjit-build" home --dir "$T/hip" --profile cuda --cuda "$real"
[ -x hip/bin/hipcc ] || fail "the home of HIP is not what it was"

printf 'kind: x\ncompilers: nvcc\n' >p.yaml
refused 1 "p.yaml:1: .*'x'" "$B/bin/ckjit-build" home --dir "$T/h2" --profile "$T/p.yaml"
printf 'kind: cuda\ncompilers: nvcc\nkeep: y\n' >p.yaml
refused 1 "p.yaml:3: .*'y'" "$B/bin/ckjit-build" home --dir "$T/h2" --profile "$T/p.yaml"
[ ! -e h2 ] || fail "something was made: $(ls -A h2)"
