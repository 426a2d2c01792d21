#!/bin/sh
# build starts no compile that memory cannot hold: it goes by what is free on the machine and in the control group, and by what
# compiles were seen to take; one always runs. One that is killed for want of memory is tried once more alone.
# tier: long
. "${0%/*}/common.sh"
. "$here/unit/build_fixture.sh"
. "$here/unit/prebuild_fixture.sh"
need python3
install_tree
export CK_JIT_MEMORY_ROOT="$T/root"
mkdir -p "$T/run" "$T/root/proc/self" "$T/root/sys/fs/cgroup"

# meminfo MIB; group FILE TEXT…: a file of a control group
meminfo() { printf 'MemTotal: 99999999 kB\nMemAvailable: %d kB\n' "$(($1 * 1024))" >"$T/root/proc/meminfo"; }
group() {
  mkdir -p "$(dirname "$T/root/sys/fs/cgroup/$1")"
  printf '%s\n' "$2" >"$T/root/sys/fs/cgroup/$1"
}
no_groups() {
  rm -r "$T/root/sys/fs/cgroup"
  mkdir "$T/root/sys/fs/cgroup"
}

# told NAME=VALUE…: what the compiler goes by, which is given none of a job's own variables
told() { printf '%s\n' "$@" >"$T/told"; }

# The compiler: takes $TAKE MiB, notes how many of its kind run, and compiles. It waits until $TOGETHER of its kind run, or all of
# the $ALL that will have started; from its start number $FROM on. With $KILL it dies of SIGKILL if others run.
cat >"$T/hipcc" <<END
#!/bin/sh
case "\$*" in -\#\#\#*) exec '$T/rocm/bin/hipcc' "\$@" ;; *src/blob_*) ;; *) exec '$T/rocm/bin/hipcc' "\$@" ;; esac
. "$T/told"
{ flock 9; touch "$T/run/\$\$"; ls "$T/run" | wc -l >>"$T/count"; n=\$(wc -l <"$T/count"); } 9>"$T/count.lock"
python3 -c "x = bytearray(\${TAKE:-1} << 20)"
until [ "\$n" -lt "\${FROM:-1}" ] || [ "\$(ls "$T/run" | wc -l)" -ge "\${TOGETHER:-1}" ] || [ "\$(wc -l <"$T/count")" -ge "\${ALL:-5}" ]; do sleep 0.02; done
sleep 0.2 # for one too many to come
[ -z "\${KILL-}" ] || [ "\$(ls "$T/run" | wc -l)" = 1 ] || { rm "$T/run/\$\$"; kill -9 \$\$; }
rm "$T/run/\$\$"
[ -z "\${DIE-}" ] || kill -9 \$\$
exec '$T/rocm/bin/hipcc' "\$@"
END
chmod +x "$T/hipcc"
export CK_JIT_HIPCC="$T/hipcc" CK_JIT_PCH=0 # one command a compile, for they are counted

# most WANTED OPTION…: so many compiles ran at the same time, of those that JOBS allow
JOBS='-j 5'
most() {
  wanted=$1
  shift
  rm -rf "$T/count" "$T/cache"
  told TOGETHER="$wanted"
  # shellcheck disable=SC2086 # none, or two words
  prebuild build --cache-dir "$T/cache" $JOBS "$@" blob_1 blob_2 blob_3 blob_4 blob_5 >"$T/out" 2>&1 || fail "$(cat "$T/out")"
  [ "$(sort -n "$T/count" | tail -n 1)" = "$wanted" ] || fail "$* at most $(sort -n "$T/count" | tail -n 1), not $wanted: $(cat "$T/out")"
}

# The first guess, 2 GiB each. What is free does not fall here by what the compiles take, so 5 GiB hold three that may still grow to 2
# only as long as none has.
meminfo 5000
most 2
meminfo 16000
most 5
most 5 --job-memory 3G
most 2 --job-memory 6G
CK_JIT_JOB_MEMORY=9G most 1
# without -j by CK_JIT_JOBS, else MAX_JOBS, else the processors, of which a CPU quota leaves one here
JOBS=
MAX_JOBS=3 most 3
CK_JIT_JOBS=2 MAX_JOBS=3 most 2
echo '0::/pod' >"$T/root/proc/self/cgroup"
group pod/cpu.max '50000 100000'
most 1
no_groups
JOBS='-j 5'
# one always runs
meminfo 100
most 1
most 5 --job-memory 0

# The control group's limit, its own or one above; version 2, then 1.
meminfo 16000
echo '0::/slice/job' >"$T/root/proc/self/cgroup"
group memory.stat 'inactive_file 0'
group slice/job/memory.current 1073741824
group slice/job/memory.max max
most 5
group slice/job/memory.max 6442450944
most 2
group slice/job/memory.max max
group slice/memory.max 4294967296
group slice/memory.current 3221225472
most 1
# file cache that the kernel drops when it must
group slice/memory.stat "anon 1
inactive_file 3221225472"
most 2
no_groups
printf '3:cpu:/x\n4:memory:/batch/job_7\n0::/slice/job\n' >"$T/root/proc/self/cgroup"
group memory/batch/memory.limit_in_bytes 5368709120
group memory/batch/memory.usage_in_bytes 1073741824
group memory/batch/job_7/memory.limit_in_bytes 9223372036854771712
group memory/batch/job_7/memory.usage_in_bytes 0
most 2
# in a container the names may be the host's, and the limit stands at the top of what is mounted
no_groups
echo '0::/host/name' >"$T/root/proc/self/cgroup"
group memory.max 1000000
group memory.current 0
most 1
no_groups

# What was seen counts once enough have ended: the guess says one at a time, the compiles take little.
meminfo 3000
blobs='blob_1 blob_2 blob_3 blob_4 blob_5'
for n in 6 7 8 9; do
  cp "$I/src/blob_1.cu" "$I/src/blob_$n.cu"
  sed -i "s|^{*\(.*\)\"blobs\": {|{\1\"blobs\": {\"blob_$n\": {\"source\": \"{root}/src/blob_$n.cu\", \"group\": 0, \"functions\": [\"kernel_\"], \"key\": \"$(printf %032x $((n + 20)))\"}, |" \
    "$I/ck_jit_manifest.json"
  blobs="$blobs blob_$n"
done
rm -rf "$T/count" "$T/cache"
told TAKE=40 TOGETHER=3 FROM=5 ALL=9
# shellcheck disable=SC2086 # a list
prebuild build --cache-dir "$T/cache" -j 3 $blobs >"$T/out" 2>&1 || fail "$(cat "$T/out")"
[ "$(head -n 4 "$T/count" | sort -n | tail -n 1)" = 1 ] || fail "more than one before any was seen: $(cat "$T/count")"
[ "$(sort -n "$T/count" | tail -n 1)" = 3 ] || fail "the guess was kept: $(cat "$T/count")"
grep -q '^peak memory of a compile: [4-9][0-9]\.' "$T/out" || fail "no word of the memory: $(cat "$T/out")"
# and the other way: the guess is too low for compiles that are large
meminfo 200
rm -rf "$T/count" "$T/cache"
told TAKE=200
# shellcheck disable=SC2086 # a list
prebuild build --cache-dir "$T/cache" -j 5 --job-memory 10M $blobs >"$T/out" 2>&1 || fail "$(cat "$T/out")"
[ "$(tail -n 3 "$T/count" | sort -n | tail -n 1)" = 1 ] || fail "memory for none beside another, and there ran: $(cat "$T/count")"

# killed beside others, tried again alone
meminfo 16000
rm -rf "$T/count" "$T/cache" "$T/run"
mkdir "$T/run"
told KILL=1 TOGETHER=2 ALL=3
prebuild build --cache-dir "$T/cache" -j 3 blob_1 blob_2 blob_3 >"$T/out" 2>&1 || fail "not tried again: $(cat "$T/out")"
grep -q 'ran out of memory; ckjit will compile it again alone' "$T/out" || fail "$(cat "$T/out")"
grep -q '^3 compiled, 0 in the cache already, 0 failed' "$T/out" || fail "$(cat "$T/out")"
# once: what is killed alone as well has failed
rm -rf "$T/count" "$T/cache"
told DIE=1
if prebuild build --cache-dir "$T/cache" blob_1 >"$T/out" 2>&1; then fail "$(cat "$T/out")"; fi
[ "$(wc -l <"$T/count")" = 2 ] || fail "tried $(wc -l <"$T/count") times: $(cat "$T/out")"
grep -q '^0 compiled, 0 in the cache already, 1 failed' "$T/out" || fail "$(cat "$T/out")"
# another failure is not tried again
told
rm -f "$T/count"
if prebuild build --cache-dir "$T/cache" blob_FAIL_HERE >"$T/out" 2>&1; then fail "$(cat "$T/out")"; fi
lacks 'tried again' again "$T/out"

for bad in 2 999k G -1G 2GB '' 99999999999999999999G; do
  if prebuild build --cache-dir "$T/cache" --job-memory "$bad" blob_1 >"$T/out" 2>&1; then fail "--job-memory '$bad'"; fi
  grep -q "job-memory: expected a size such as 500M, 20G or 4Gi, or 0, found '$bad'" "$T/out" || fail "'$bad': $(cat "$T/out")"
done
