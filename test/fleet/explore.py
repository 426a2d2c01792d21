#!/usr/bin/env python3
"""Tries every order of steps of the lease protocol (core/cache/lease.c, compile/turn.c) in a small model.

    explore.py [--processes N] [--kills N] [--stops N] [--without RULE]

The model has one kernel, processes that want it, and the server's files: the generations of the lease, the entry. A step is one operation
that the server does at once: an exclusive creation, a read, a write, an unlink. Between any two of them any other process may do any number
of its own, be killed, or be stopped for any time and go on. A process may judge a holder silent only if that holder is dead or stopped:
the patience is longer than the interval of beats. A holder that a partition cuts off counts as stopped. Nothing in the model is a clock.

What must hold in every state:

    compiles   at most one begins, and one more for each process that was killed or stopped
    removal    nobody removes or supersedes the lease of a running holder, unless it was stopped meanwhile
    end        from every state in which a process runs, the entry can still be reached by running processes alone

--without RULE leaves a part of the protocol out, to show that the search finds what goes wrong then:

    exclusive   a creation replaces what exists
    next        the old generation is removed instead of being marked
    entry       a process that has taken the lease does not look for the entry

Exit status: 0 all orders are right; 1 one is not: its steps are printed."""
import argparse
import sys

# The state: (files, entry, processes, compiles, kills, stops)
#   files       a tuple by generation: None, or (owner, number of its creation, 'held' | 'next')
#   processes   a tuple of (place in the program, generation, judged content, own creation, status)
#               status: 'run', 'stopped', 'dead', 'done'; `was_stopped` is in the place's last part
WANT, WAIT, JUDGED, RECHECK, MARK, CONFIRM, UNDO, TAKEN, COMPILE, CHECK, RELEASE, DONE = range(12)
NAMES = ['creates {g}', 'reads {g}', 'creates {g} after judging', 'reads the one before {g} again', 'marks the one before {g}',
         'confirms its mark', 'removes {g} again', 'looks for the entry', 'compiles and places', 'reads its lease', 'removes its lease', '']
MOST = 4  # generations


class Model:
    def __init__(self, a):
        self.without, self.kills, self.stops, self.n = a.without, a.kills, a.stops, a.processes

    def start(self):
        process = (WANT, 0, None, 0, 'run', False)
        return ((None,) * MOST, False, (process,) * self.n, 0, 0, 0, 0)

    def steps(self, state):
        """(what happens, the next state, what is wrong about it or None)"""
        files, entry, processes, compiles, kills, stops, made = state
        for i, p in enumerate(processes):
            place, g, judged, own, status, stopped = p

            def to(place, g=g, judged=judged, own=own, status=status, stopped=stopped, files=files, entry=entry, compiles=compiles,
                   made=made, kills=kills, stops=stops, i=i):
                new = processes[:i] + ((place, g, judged, own, status, stopped),) + processes[i + 1:]
                return (files, entry, new, compiles, kills, stops, made)
            if status == 'stopped':
                yield f'{i} goes on', to(place, status='run'), None
            if status != 'run':
                continue
            if kills < self.kills:
                yield f'{i} is killed', to(DONE, g=0, judged=None, status='dead', kills=kills + 1), None
            if stops < self.stops:
                yield f'{i} is stopped', to(place, status='stopped', stopped=True, stops=stops + 1), None
            what = f'{i} {NAMES[place].format(g=g + 1)}'

            def put(g, content, files=files):
                return files[:g] + (content,) + files[g + 1:]
            if place in (WANT, JUDGED):
                if g >= MOST:
                    continue
                if files[g] is None or self.without == 'exclusive':
                    follow = TAKEN if place == WANT else RECHECK
                    yield what, to(follow, files=put(g, (i, made + 1, 'held')), own=made + 1, made=made + 1), None
                else:
                    yield what + ', which exists', to(WAIT, judged=None), None
            elif place == WAIT:
                content = files[g]
                if content is None:
                    # it has gone: is_over() looks for the entry, else the same generation is created
                    yield what + ', which has gone', to(DONE, status='done') if entry else to(WANT), None
                elif content[2] == 'next':
                    yield what + ': next', to(WANT, g=g + 1), None
                else:
                    owner = processes[content[0]]
                    if owner[4] != 'run' or owner[3] != content[1] or owner[0] == DONE:
                        yield what + ': silent', to(JUDGED, g=g + 1, judged=content), None
            elif place == RECHECK:
                yield what, to(MARK if files[g - 1] == judged else UNDO), None
            elif place == MARK:  # by the descriptor that was read: another file of that name is not written to
                here = files[g - 1]
                if self.without == 'next':
                    yield what, to(TAKEN, files=put(g - 1, None)), self.harm(processes, here, i)
                elif here is not None and here[:2] == judged[:2]:
                    yield what, to(CONFIRM, files=put(g - 1, (*here[:2], 'next'))), None
                else:
                    yield what + ', which has gone', to(UNDO), None
            elif place == CONFIRM:
                here = files[g - 1]
                good = here is not None and here[:2] == judged[:2] and here[2] == 'next'
                yield what, to(TAKEN if good else UNDO), None
            elif place == UNDO:
                yield what, to(WANT, g=0, judged=None, own=0, files=put(g, None)), None
            elif place == TAKEN:
                if entry and self.without != 'entry':
                    yield what + ', which is there', to(CHECK), None
                else:
                    yield what + ' and begins', to(COMPILE, compiles=compiles + 1), None
            elif place == COMPILE:
                yield what, to(CHECK, entry=True), None
            elif place == CHECK:
                here = files[g]
                mine = here is not None and here[1] == own and here[2] == 'held'
                yield what, to(RELEASE) if mine else to(DONE, status='done'), None
            elif place == RELEASE:
                yield what, to(DONE, status='done', files=put(g, None)), self.harm(processes, files[g], i)

    @staticmethod
    def harm(processes, content, i):
        if content is None or content[0] == i:
            return None
        owner = processes[content[0]]
        running = owner[4] == 'run' and not owner[5] and owner[3] == content[1] and owner[0] not in (DONE, UNDO)
        return f'the lease of process {content[0]}, which runs, is removed' if running else None

    def wrong(self, state):
        _, _, _, compiles, kills, stops, _ = state
        if compiles > 1 + kills + stops:
            return f'{compiles} compiles, {kills} killed, {stops} stopped'
        return None


def path_to(parents, state):
    steps = []
    while parents[state]:
        state, what = parents[state]
        steps.append(what)
    return steps[::-1]


def explore(model):
    start = model.start()
    parents, todo, follow = {start: None}, [start], {}
    for state in todo:
        follow[state] = []
        for what, new, wrong in model.steps(state):
            wrong = wrong or model.wrong(new)
            if new not in parents:
                parents[new] = (state, what)
                todo.append(new)
            if wrong:
                return len(parents), wrong, path_to(parents, state) + [what]
            if not what.endswith(('killed', 'stopped')):
                follow[state].append(new)
    # From each state, can its running processes all come to their end? Backwards from those where they have.
    good = {s for s in parents if all(p[4] in ('done', 'dead') for p in s[2])}
    back = {}
    for s, nexts in follow.items():
        for n in nexts:
            back.setdefault(n, []).append(s)
    reach = list(good)
    for s in reach:
        for b in back.get(s, ()):
            if b not in good:
                good.add(b)
                reach.append(b)
    for s in parents:
        if s not in good:
            return len(parents), 'no process can go on', path_to(parents, s)
    return len(parents), None, []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--processes', type=int, default=3)
    parser.add_argument('--kills', type=int, default=1)
    parser.add_argument('--stops', type=int, default=1)
    parser.add_argument('--without', choices=['exclusive', 'next', 'entry'])
    model = Model(parser.parse_args())
    states, wrong, steps = explore(model)
    if wrong:
        sys.exit('\n'.join([*steps, f'wrong: {wrong}, after {len(steps)} steps; {states} states']))
    print(f'{states} states: every order is right')


if __name__ == '__main__':
    main()
