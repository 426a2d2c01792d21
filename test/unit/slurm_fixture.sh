# slurm_fixture.sh - a Slurm of the test's own: munged, slurmctld and slurmd on the loopback, configured in $T/slurm. Source it
# behind common.sh; slurm_start starts it, and it ends with the test.
# shellcheck shell=sh
need slurmctld slurmd munged sbatch scontrol python3
[ "$(id -u)" = 0 ] || skip 'slurmd needs root'
S=$T/slurm
slurm_pids=

slurm_end() {
  for pid_ in $slurm_pids; do
    kill "$pid_" 2>/dev/null || true
  done
  for pid_ in $slurm_pids; do
    wait "$pid_" 2>/dev/null || true
  done
  slurm_pids=
}

# slurm_start CPUS: one node of so many processors, more than there are or not
slurm_start() {
  mkdir -p "$S/state" "$S/spool" "$S/munge"
  chmod 700 "$S/munge" "$S"
  chmod 755 "$T"
  dd if=/dev/urandom of="$S/munge/key" bs=128 count=1 2>/dev/null
  chmod 400 "$S/munge/key"
  # two ports that are free now
  # shellcheck disable=SC2046 # words
  set -- "$1" $(python3 -c 'import socket
s = [socket.socket() for _ in range(2)]
for x in s: x.bind(("127.0.0.1", 0))
print(*(x.getsockname()[1] for x in s))')
  cat >"$S/slurm.conf" <<END
ClusterName=ckjit
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$2
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$S/munge/socket
CredType=cred/munge
CommunicationParameters=NoAddrCache
StateSaveLocation=$S/state
SlurmdSpoolDir=$S/spool
SlurmctldPidFile=$S/slurmctld.pid
SlurmdPidFile=$S/slurmd.pid
SlurmctldLogFile=$S/slurmctld.log
SlurmdLogFile=$S/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SlurmdParameters=config_overrides
ReturnToService=2
MailProg=/bin/true
PluginDir=$(slurm_plugins)
NodeName=here NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=$3 CPUs=$1 State=UNKNOWN
PartitionName=all Nodes=here Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
END
  sed -i '/^PluginDir=$/d' "$S/slurm.conf"
  export SLURM_CONF="$S/slurm.conf"
  trap 'slurm_end; rm -rf "$T"' EXIT
  munged --foreground --force --socket="$S/munge/socket" --key-file="$S/munge/key" --pid-file="$S/munge/pid" \
    --log-file="$S/munge/log" --seed-file="$S/munge/seed" --num-threads=2 >"$S/munged.out" 2>&1 &
  slurm_pids="$! $slurm_pids"
  slurm_wait 'munged makes no socket' test -S "$S/munge/socket"
  slurmctld -D -c >"$S/slurmctld.out" 2>&1 &
  slurm_pids="$! $slurm_pids"
  slurmd -D -N here >"$S/slurmd.out" 2>&1 &
  slurm_pids="$! $slurm_pids"
  slurm_wait 'the node does not become idle' slurm_idle
}

slurm_plugins() {
  find /usr/lib /usr/lib64 /usr/local/lib -type d -name 'slurm*' -exec test -e '{}/auth_munge.so' ';' -print 2>/dev/null | head -n 1
}

slurm_idle() {
  scontrol show node here 2>/dev/null | grep -q 'State=IDLE '
}

# slurm_wait WHY COMMAND...: as await, and what the daemons have said
slurm_wait() {
  why_=$1 tries_=0
  shift
  until "$@"; do
    tries_=$((tries_ + 1))
    [ $tries_ -lt 1500 ] || {
      tail -n 20 "$S"/*.log "$S"/*.out "$S/munge/log" >&2 2>/dev/null || true
      fail "$why_"
    }
    sleep 0.2
  done
}
