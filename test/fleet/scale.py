#!/usr/bin/env python3
"""Many machines that share a cache and no locks, under faults: scale.py COMPILE COMPILER TEMPLATE DIR NODES RANKS ROUNDS [SEED]

DIR has the mounts node1 … nodeN of netfs.py, with rules files node1.rules …. In each round all ranks of all nodes want a new kernel at once,
each node in a process space of its own. While it is compiled, the node that compiles it is killed, or stopped, or cut off from the server
for longer than the patience, or nothing happens. Then every rank that was not killed must have ended well, the entry must be whole, and the
compiles must be one and one more for each such fault, or for each holder that this machine did not let run: whose lease on the server did
not change for the patience. It prints a line for each round, and ends with 1 at the first that is wrong."""
import collections
import os
import random
import signal
import subprocess
import sys
import threading
import time

compile_program, compiler, template, top = sys.argv[1:5]
nodes, ranks, rounds = (int(word) for word in sys.argv[5:8])
seed = int(sys.argv[8]) if len(sys.argv) > 8 else random.randrange(1 << 30)
random.seed(seed)
log = os.path.join(top, 'log')
PATIENCE = float(os.environ['CK_JIT_LOCK_PATIENCE'])
SCRIPT = 'hostname "$1"; n=$2; shift 2; i=0; while [ $i -lt "$n" ]; do "$@" & pids="$pids $!"; i=$((i + 1)); done; ' \
         's=0; for p in $pids; do wait "$p" || s=$?; done; exit $s'


def start(node, stem):
    where = os.path.join(top, f'node{node}')
    flags = f'--log={log} --template={template} --control={top} --sleep=1500'
    command = [compile_program, '--hipcc', compiler, '--blob-source', f'{top}/{stem}.cu', '--cache', '--output', f'{where}/cache/{stem}.so',
               '--blob-flags', flags]
    with open(f'{top}/said.{node}', 'wb') as said:
        return subprocess.Popen(['unshare', '-puf', '--kill-child', '--mount-proc', 'sh', '-c', SCRIPT, 'sh', f'node{node}', str(ranks), *command],
                                stdout=said, stderr=said)


def starts(stem):
    try:
        with open(log, encoding='utf-8') as f:
            return sum(line.startswith(f'start {stem} ') for line in f)
    except FileNotFoundError:
        return 0


def processes(node):
    """the processes of NODE: those below its unshare"""
    found = []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{pid}/cmdline', 'rb') as f:
                words = f.read()
            with open(f'/proc/{pid}/environ', 'rb') as f:
                if b'FLEET_TOP=' + top.encode() not in f.read():
                    continue
        except OSError:
            continue
        if f'{top}/node{node}/'.encode() in words:
            found.append(int(pid))
    return found


def holder():
    """the node that compiles now"""
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{pid}/cmdline', 'rb') as f:
                words = f.read().split(b'\0')
        except OSError:
            continue
        start = f'{top}/node'.encode()
        for word in words:
            if words[0] == compiler.encode() and word.startswith(start) and b'/cache/.tmp-' in word:
                return int(word[len(start):].split(b'/')[0])
    return None


class Leases(threading.Thread):
    """looks at the leases on the server as long as a round lasts; silent: how many holders showed no life for the patience"""

    def __init__(self):
        super().__init__(daemon=True)
        self.over, self.seen, self.silent = threading.Event(), {}, set()

    def run(self):
        locks = f'{top}/server/cache/.locks'
        while not self.over.wait(0.1):
            now = time.monotonic()
            for name in os.listdir(locks) if os.path.isdir(locks) else []:
                try:
                    with open(f'{locks}/{name}', 'rb') as f:
                        content = f.read(73)
                except OSError:
                    continue
                lease = content[:31]
                if content[48:52] == b'held':
                    before, since = self.seen.get(lease, (None, 0))
                    if content != before:
                        self.seen[lease] = content, now
                    elif now - since > PATIENCE - 1:
                        self.silent.add(lease)

    def stop(self):
        self.over.set()
        self.join()
        return len(self.silent)


def send(pids, number):
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def rules(node, text):
    with open(f'{top}/node{node}.rules', 'w', encoding='utf-8') as f:
        f.write(text)


def one(number):
    stem = f'k{number}'
    with open(f'{top}/{stem}.cu', 'w', encoding='utf-8') as f:
        f.write(f'{number + 10}\n')
    leases = Leases()
    leases.start()
    running = {node: start(node, stem) for node in range(1, nodes + 1)}
    fault, hit, end = random.choice(['nothing', 'killed', 'stopped', 'cut off']), None, time.monotonic() + 240
    while not starts(stem) and time.monotonic() < end:
        time.sleep(0.02)
    time.sleep(random.random())
    if fault != 'nothing':
        hit = holder()
    if hit and fault == 'killed':
        running[hit].kill()
        send(processes(hit), signal.SIGKILL)
    elif hit and fault == 'stopped':
        stopped = processes(hit)
        send(stopped, signal.SIGSTOP)
    elif hit:
        rules(hit, '* * hang\n')
    if hit and fault != 'killed':
        time.sleep(PATIENCE + 3)
        if fault == 'stopped':
            send(stopped, signal.SIGCONT)
        else:
            rules(hit, '')
    bad = []
    for node, process in running.items():
        try:
            status = process.wait(max(1, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            status = 'for ever'
            process.kill()
        if status and not (fault == 'killed' and node == hit):
            with open(f'{top}/said.{node}', encoding='utf-8', errors='replace') as f:
                bad.append(f'node {node} ended with {status}: {f.read()[:500]}')
    compiles, silent = starts(stem), leases.stop()
    starved = max(0, silent - bool(hit))
    if compiles > 1 + bool(hit) + starved:
        bad.append(f'{compiles} compiles')
    entries = [name for name in os.listdir(f'{top}/server/cache') if name.startswith(stem + '.')]
    if entries != [stem + '.so']:
        bad.append(f'entries: {entries}')
    print(f'round {number}: {fault} {hit or ""}: {compiles} compiles{f", {starved} holders starved" if starved else ""}{"".join(chr(10) + b for b in bad)}', flush=True)
    return not bad, fault if hit else 'nothing', compiles, starved


def main():
    os.environ['FLEET_TOP'] = top
    print(f'seed {seed}, {nodes} nodes of {ranks} ranks')
    count = collections.Counter()
    for number in range(rounds):
        good, fault, compiles, starved = one(number)
        count[fault] += 1
        count['compiles'] += compiles
        count['starved'] += starved
        if not good:
            sys.exit(1)
    print(f'{rounds} rounds: {dict(count)}')


if __name__ == '__main__':
    main()
