#!/usr/bin/env python3
"""A discrete simulation of many machines that call one kernel at once, through one metadata server.

    simulate.py [--nodes N] [--compile SECONDS] [--latency MS] [--service US] [--spread SECONDS] [--names N] [--dies]

Each node's first rank does what core/cache/lease.c and compile/place.c do on a network file system: it looks for the entry (two names, a
reading of the directory), creates the lease, and looks at it again after the same pauses, until it is gone; then it looks for the entry
again. Other ranks of a node wait for a lock within it, and cost the server nothing. The server does one operation after the other, each in
--service microseconds (a reading of a directory of --names names in as many blocks of 1,000), and --latency is the way there and back.
--spread: over how many seconds the calls begin. --dies: the first holder's node dies, and its lease is taken over.

It prints the operations in all and for each node, the most in one second, the longest wait for the server, and the time from the placing of
the entry until the last node has it."""
import argparse
import collections
import heapq
import random


def pause(n, pid):
    """pause_before() of core/cache/lease.c, in seconds"""
    ms = min(10 + 5 * n * n if n < 10 else 250, 250)
    return (ms - ms * (pid % 16) // 64) / 1000


class Fleet:
    def __init__(self, a):
        self.a, self.now, self.queue, self.serial = a, 0.0, [], 0
        self.free, self.operations, self.seconds, self.longest = 0.0, 0, collections.Counter(), 0.0
        self.lease, self.beat, self.entry, self.compiles = {}, {}, None, 0
        self.done = []

    def at(self, time, step):
        self.serial += 1
        heapq.heappush(self.queue, (time, self.serial, step))

    def ask(self, blocks, then):
        """an operation: it arrives, is queued, done, and the answer comes back"""
        arrives = self.now + self.a.latency / 2000
        begins = max(arrives, self.free)
        self.free = begins + blocks * self.a.service / 1e6
        self.longest = max(self.longest, begins - arrives)
        self.operations += 1
        self.seconds[int(self.free)] += 1

        def serve():
            answer = then[0]()
            self.at(self.now + self.a.latency / 2000, lambda: then[1](answer))
        self.at(self.free, serve)

    def run(self):
        for node in range(self.a.nodes):
            self.at(random.random() * self.a.spread, Node(self, node).look_for_entry)
        while self.queue:
            self.now, _, step = heapq.heappop(self.queue)
            step()


class Node:
    def __init__(self, fleet, number):
        self.f, self.number, self.pid = fleet, number, random.randrange(1 << 15)
        self.generation, self.looks, self.seen, self.since = 1, 0, None, 0

    def have(self, there):
        if there:
            self.f.done.append(self.f.now)
        return there

    def look_for_entry(self):
        f = self.f

        def listed(there):
            if not self.have(there):
                self.create()
        # the two names, then the directory
        f.ask(1, (lambda: 0, lambda _: f.ask(1, (lambda: 0, lambda _: f.ask(
            -(-f.a.names // 1000), (lambda: f.entry is not None, listed))))))

    def create(self):
        f, g = self.f, self.generation

        def server():
            if f.lease.get(g) is not None:
                return False
            f.lease[g] = (self.number, f.now)
            return True

        def answered(ours):
            if ours:
                f.ask(2, (lambda: f.entry, self.begin))  # writes its content, looks for the entry
            else:
                self.looks, self.since = 0, f.now
                self.wait()
        f.ask(1, (server, answered))

    def begin(self, there):
        f = self.f
        if self.have(there is not None):
            return
        f.compiles += 1
        if f.a.dies and f.compiles == 1:
            self.beat(f.now + f.a.compile / 2)
            return
        end = f.now + f.a.compile
        self.beat(end)
        f.at(end, self.place)

    def beat(self, end):
        if self.f.now < end:
            self.f.ask(1, (lambda: self.f.beat.__setitem__(self.generation, self.f.now), lambda _: None))
            self.f.at(self.f.now + 1, lambda: self.beat(end))

    def place(self):
        f = self.f

        def placed(_):
            f.ask(1, (lambda: f.lease.__setitem__(self.generation, None), lambda _: self.have(True)))

        def rename():
            f.entry = f.now
            return True
        f.ask(1, (rename, placed))

    def wait(self):
        f = self.f
        f.at(f.now + pause(self.looks, self.pid), lambda: f.ask(2, (  # opens and reads
            lambda: (f.lease.get(self.generation), f.beat.get(self.generation)), self.watched)))
        self.looks += 1

    def watched(self, content):
        f = self.f
        if content[0] is None:
            self.look_for_entry()
            return
        if content != self.seen:
            self.seen, self.since = content, f.now
        if f.now - self.since > f.a.patience:
            self.generation += 1
            self.create()
        else:
            self.wait()


def main():
    parser = argparse.ArgumentParser()
    for name, value in (('nodes', 1000), ('names', 2000)):
        parser.add_argument('--' + name, type=int, default=value)
    for name, value in (('compile', 30), ('latency', 1), ('service', 20), ('spread', 2), ('patience', 20)):
        parser.add_argument('--' + name, type=float, default=value)
    parser.add_argument('--dies', action='store_true')
    a = parser.parse_args()
    fleet = Fleet(a)
    fleet.run()
    print(f'{len(fleet.done)} of {a.nodes} nodes have it, {fleet.compiles} compiles')
    print(f'{fleet.operations} operations, {fleet.operations / a.nodes:.0f} a node, at most {max(fleet.seconds.values())} a second')
    print(f'longest wait for the server {fleet.longest * 1000:.1f} ms; the last node had it {max(fleet.done) - fleet.entry:.3f} s after it was placed')


if __name__ == '__main__':
    main()
