#!/bin/sh
# The host ignores SIGCHLD, has a thread that reaps every child, blocks all signals: a first call works, leaves mask and handlers
# as they were, and ckjit-compile and its compiler start with no signal blocked or ignored.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
many lib 8
spy "$T/lib/ck_jit/ckjit-compile"
spy "$T/fast"

is "SIGCHLD ignored" 5 "$(hostile lib ignored 0 5)"
is "children reaped by a thread" 1005 "$(hostile lib reaped 1 5)"
is "all signals blocked" 2005 "$(hostile lib blocked 2 5)"
is "ignored by who started the host" 3005 "$(trap '' HUP INT QUIT PIPE TERM CHLD && hostile lib value 3 5)"
is "SIGCHLD ignored, without a cache" 7005 "$(CK_JIT_DISABLE_FILE_CACHING=1 hostile lib ignored 7 5)"
is "compilers" 5 "$(started lib)"
cat "$T/notes" "$T/lib/ck_jit/notes" | grep '^Sig' >"$T/signals"
is "notes" 20 "$(wc -l <"$T/signals")"
# glibc's posix_spawn leaves its own two, 32 and 33, ignored, or one of them; beside those of qemu-user, those of a process in it are 34 and 35 outside
its_own='[01][08]0{7}'
[ -z "$cross" ] || its_own='[0-7][08]0{7}'
lacks "signals that they found blocked or ignored" ":[[:space:]]*0{7}$its_own\$" "$T/signals" -vE

# the failure of a compile whose status nobody knows is still a failure, and the reason is there
touch "$T/lib/control/k4.fail"
hostile lib ignored 4 5 >"$T/out" && fail "SIGCHLD ignored: no error"
has "SIGCHLD ignored" "k4: the compiler failed with status 4" "$T/out"
hostile lib reaped 4 5 >"$T/out" && fail "children reaped: no error"
has "children reaped" "k4: the compiler failed with status 4" "$T/out"
