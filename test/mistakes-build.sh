#!/bin/sh
# Mistakes that a new user makes with ckjit-build: each answer names what is wrong, what is expected and the way on; nothing is made.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
installation
rocm "$T/rocm"
aiter "$T/aiter"
cd "$T"
echo text >file
mkdir empty
full() {
  ckjit-build full --aiter-dir aiter --gpu-archs gfx942 "$@"
}

refused 2 "home: unexpected argument 'H'; did you mean '--dir H'? See ckjit home --help" ckjit-build home H
refused 2 "quick: unexpected argument 'w'; did you mean '--tmp-dir w'?" ckjit-build quick w
refused 2 "full: unexpected argument 'gfx950'; see" full gfx950
refused 1 "expected the directory that ROCm is installed in; did you mean --rocm $T/rocm?" ckjit-build home --dir H --rocm rocm/bin
refused 1 "did you mean --rocm $T/rocm?" ckjit-build home --dir H --rocm rocm/bin/hipcc
refused 1 "expected the directory that ROCm is installed in \[ckjit help no-real-compiler\]$" ckjit-build home --dir H --rocm empty
mkdir -p cuda/bin && printf '#!/bin/sh\n' >cuda/bin/nvcc && chmod +x cuda/bin/nvcc
refused 1 "error: --cuda cuda: no real compiler at cuda/bin/hipcc; expected the directory that ROCm is installed in, as the profile says; did you mean --profile cuda?" ckjit-build home --dir H --profile hip --cuda cuda
refused 1 "error: --rocm rocm: no real compiler at rocm/bin/nvcc; expected the directory that CUDA is installed in, as the profile says; did you mean --profile hip?" ckjit-build home --dir H --profile cuda --rocm rocm
refused 1 "error: --cuda empty: no real compiler at empty/bin/nvcc; expected the directory that CUDA is installed in \[" ckjit-build home --dir H --cuda empty
refused 1 "profile 'HIP': .*; did you mean 'hip'?" ckjit-build home --dir H --profile HIP
refused 1 "cannot make the work directory /proc/x: .*; name another with --work" ckjit-build home --dir H2 --work /proc/x
refused 1 'cannot make .*/file: .*; choose another directory: --dir of home, --tmp-dir of full' ckjit-build home --dir file
refused 1 "unknown architecture 'gfx942:gfx950'; .* separated by ';' or ','" ckjit-build full --aiter-dir aiter --gpu-archs gfx942:gfx950
refused 1 "gpu-archs ',': no architecture in it; expected such as \"gfx942;gfx950\"" ckjit-build full --aiter-dir aiter --gpu-archs ,
refused 2 "api: expected fwd or bwd, found 'FWD'; did you mean 'fwd'?" full --api FWD
refused 2 "api: expected fwd or bwd, found 'both'; without it both are built" full --api both
refused 2 "jobs: expected a number from 1 to 65535, found '99999999'" full --jobs 99999999
refused 1 "tmp-dir $T/file: is not a directory; name one, there or to be made" full --tmp-dir file
refused 1 "install-dir $T/file: is not a directory; name one" full --install-dir file
# it was copied into itself until the disk was full
refused 1 "tmp-dir $T/aiter: is the aiter checkout itself; name another directory" full --tmp-dir aiter
ln -s aiter link
refused 1 "tmp-dir $T/link: is the aiter checkout itself" full --tmp-dir link
# `--tmp-dir "$WORK"` without WORK was the current directory
for option in --tmp-dir --install-dir --aiter-dir --gpu-archs --aot-list; do
  refused 2 "$option: expected a name, found an empty word (an unset shell variable?)" full "$option" ''
done
for option in --dir --profile --rocm --cuda --work; do
  refused 2 "$option: expected a name, found an empty word" ckjit-build home --dir H $option ''
done
for command in quick relink; do
  for option in --tmp-dir --install-dir --aot-list --aiter-dir; do
    [ $command$option != quick--aot-list ] && [ $command$option != relink--aiter-dir ] || continue
    refused 2 "$option: expected a name, found an empty word" ckjit-build $command --tmp-dir w $option ''
  done
done
for made in H H2 src_fwd home work; do
  [ ! -e "$made/bin" ] && [ ! -e "$made/aiter" ] || fail "$made was made"
done

ckjit-build home --dir H --profile hip --cuda rocm >out 2>err || fail "$(cat err)"
grep -q "warning: --cuda rocm: taken for the home of kind 'hip', as the profile says; add --profile cuda if CUDA is meant" err || fail "$(cat err)"
ckjit-build home --dir H --rocm rocm >out 2>err || fail "$(cat err)"
[ ! -s err ] || fail "$(cat err)"

full --tmp-dir w >out
refused 1 "$T/w/home: is a fake home, not a work directory; did you mean --tmp-dir $T/w?" ckjit-build quick --tmp-dir w/home
refused 1 "$T/w/libmha_fwd: is the directory of one library, not a work directory; did you mean --tmp-dir $T/w?" ckjit-build relink --tmp-dir w/libmha_fwd
refused 1 "$T/empty: no library was built here: .*; build one first" ckjit-build quick --tmp-dir empty
refused 1 'warning: --aot-list file2: it names no kernel; expected one stem a line' sh -c 'echo "# none" >file2 && ckjit-build relink --tmp-dir empty --aot-list file2'
