#!/bin/sh
# home: no compiler, a directory that is somebody else's, an unwritable one, profiles that are none.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
installation
rocm "$T/rocm"
mkdir -p "$T/other" "$T/none/bin" && : >"$T/other/thesis"
refused 2 'unknown command .home2' ckjit-build home2
refused 2 'expected a command' ckjit-build
refused 1 'neither empty nor a fake home (it has thesis' ckjit-build home --dir "$T/other"
refused 1 'cannot make /proc/h: ' ckjit-build home --dir /proc/h
refused 1 'no real compiler at .*/none/bin/hipcc' ckjit-build home --dir "$T/h" --rocm "$T/none"
refused 1 "CK_JIT_HIPCC='/none' is not there; set it to the name or path of a compiler, or unset it" env CK_JIT_HIPCC=/none ckjit-build home --dir "$T/h"
refused 1 "CXX='ccache g++' is not on the PATH.*without arguments" env CXX='ccache g++' ckjit-build home --dir "$T/h"
refused 1 "profile 'cudaa': no such profile: expected cuda or hip, or a file with a slash in its name; did you mean 'cuda'?" \
  ckjit-build home --dir "$T/h" --profile cudaa
refused 1 "profile 'nope': no such profile: expected cuda or hip, or a file with a slash in its name$" ckjit-build home --dir "$T/h" --profile nope
refused 1 'profile ./nope.yaml: cannot read this profile: No such file' ckjit-build home --dir "$T/h" --profile ./nope.yaml
(cd "$T" && echo >p && refused 1 "profile 'p': .*, or with a slash the file ./p$" ckjit-build home --dir "$T/h" --profile p)
printf 'compilers: hipcc\ncompiler: hipcc\n' >"$T/p.yaml"
refused 1 "p.yaml:2: unknown key 'compiler': expected about, kind, .*; did you mean 'compilers'?" ckjit-build home --dir "$T/h" --profile "$T/p.yaml"
if [ ! -e /opt/rocm ] && [ ! -e /usr/bin/hipcc ]; then
  refused 1 'no real hipcc: not in ROCM_PATH' env PATH="$T/ckjit/bin:/usr/bin:/bin" ckjit-build home --dir "$T/h"
fi
[ ! -e "$T/h" ] || fail "something was made: $(ls -A "$T/h")"
