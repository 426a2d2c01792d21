#!/bin/sh
# CK_JIT_CAPTURE: one line a kernel that was called, with the number of calls, of processes, and the seconds of its compile, exact for
# many threads, processes, forks and loads, and a whole file wherever a process is killed.
# tier: check
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
need python3
LIB_CFLAGS="" many lib 40 # the host is python, into which no sanitizer can be loaded
cat >"$T/host.py" <<'END'
import ctypes, os, signal, sys, threading, _ctypes
def load():
    return ctypes.CDLL(sys.argv[1])
def call(lib, n, times=1):
    f = lib["_Z6value_ILi%dEEii" % n]
    for i in range(times):
        got = f(i)
        assert got == 1000 * n + i, (n, i, got)
lib = load()
mode, args = sys.argv[2], [int(a) for a in sys.argv[3:]]
if mode == "calls":      # KERNEL TIMES …
    for n, times in zip(args[::2], args[1::2]):
        call(lib, n, times)
elif mode == "threads":  # THREADS KERNELS TIMES
    threads = [threading.Thread(target=lambda t=t: [call(lib, (t + n) % args[1], args[2]) for n in range(args[1])])
               for t in range(args[0])]
    [t.start() for t in threads]
    [t.join() for t in threads]
elif mode == "fork":
    call(lib, 0, 3)
    if os.fork() == 0:
        call(lib, 0, 2)
        call(lib, 1, 1)
        sys.exit()
    os.wait()
elif mode == "reload":
    for i in range(3):
        call(lib, 0, 5)
        _ctypes.dlclose(lib._handle)
        lib = load()
elif mode == "chdir":
    call(lib, 0)
    os.chdir("/")
    call(lib, 1)
elif mode == "killed":
    for n in range(10):
        call(lib, n, 3)
    os.kill(os.getpid(), signal.SIGKILL)
END
host() {
  python3 "$T/host.py" "$T/lib/libkernels.so" "$@"
}
export CK_JIT_CAPTURE="$T/c"
# holds LINE...: what the file holds, with the seconds of compiles as S
holds() {
  printf '%s\n' '# ckjit-capture 1: calls, processes, seconds of the compile, kernel' "$@" >"$T/want"
  sed -E 's/	[0-9]+\.[0-9]{3}	/	S	/' "$T/c" | cmp -s - "$T/want" || fail "$(cat "$T/c")"
}

host calls 0 7 3 1
holds '7	1	S	k0' '1	1	S	k3'
host calls 3 2
holds '7	1	S	k0' '3	2	S	k3'
rm "$T/c"
host calls 3 2
holds '2	1	-	k3'
rm "$T/c"
host fork
holds '5	2	-	k0' '1	1	S	k1'
rm "$T/c"
host reload
holds '15	3	-	k0'

# many at once
rm "$T/c"
i=0
while [ $i -lt 8 ]; do
  host threads 8 20 50 &
  i=$((i + 1))
done
wait
is "kernels" 20 "$(sed 1d "$T/c" | wc -l)"
sed 1d "$T/c" | lacks "lines that are wrong" '^3200	8	([0-9]+\.[0-9]{3}|-)	k[0-9]+$' - -vE
is "left beside it" "$T/c" "$(ls "$T"/c "$T"/c.* 2>/dev/null)"

# another container's process of the same id, at the same file
echo 'int getpid(void) { return 4242; }' | cc -shared -fPIC -x c - -o "$T/pid.so"
echo theirs >"$T/c.4242.tmp"
LD_PRELOAD=$T/pid.so host calls 0 1
is "another's file" theirs "$(cat "$T/c.4242.tmp" 2>&1)"
rm "$T/c.4242.tmp"
is "left beside it" "$T/c" "$(ls "$T"/c "$T"/c.* 2>/dev/null)"

# killed: the first calls are there, and the file is whole
rm "$T/c"
host killed && fail "it was not killed"
is "kernels of a killed process" 10 "$(sed 1d "$T/c" | grep -c '^[1-9]')"

mkdir "$T/d"
(cd "$T/d" && CK_JIT_CAPTURE=here host chdir)
is "a relative name" 3 "$(wc -l <"$T/d/here")"
# The host's locale has another decimal point, which is no business of the file.
rm -r "$T/cache"
rm -f "$T/c"
LC_ALL=de_DE.UTF-8 host calls 2 1
holds '1	1	S	k2'
# Without it nothing is counted and nothing written.
rm "$T/c"
CK_JIT_CAPTURE='' host calls 2 1
[ ! -e "$T/c" ] || fail "written without being asked"
