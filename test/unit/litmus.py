"""litmus.py - may it happen on an AArch64 machine? All executions of a small program under Arm's axiomatic memory model, one by one.

    litmus.py known                    the answers that are published for well-known tests: exit status 1 if this differs from one
    litmus.py publish STORE ACQUIRE RELEASE LOAD

publish is how a slot gets its function: a thread has loaded a blob, written its data and noted the handle by RELEASE; a thread finds it by ACQUIRE and stores the
address into the slot by STORE; a third calls through the slot, which it reads by LOAD, and reads the data. Says "forbidden" or "allowed": that the caller
sees the address and not the data. RELEASE and STORE are str or stlr, ACQUIRE and LOAD ldr, ldar or ldapr.

The model is that of the Arm Architecture Reference Manual (B2.3) in the form of Pulte et al., "Simplifying ARM Concurrency", POPL 2018: per-location coherence, and no
cycle of what is seen from other threads (obs), dependencies (dob) and barriers (bob). Of it there are loads and stores of whole words, acquire, release, dmb, isb,
addresses, data and branches that depend; not exclusives, atomics, mixed sizes, instruction fetches and translation. An execution is who reads from whom (rf) and
in which order each place is written (co); all are tried.

A thread is a list of lines: "W x 1", "WL x 1" (release), "R x", "RA x" (ldar), "RQ x" (ldapr), "F full", "F ld", "F st", "F isb"; behind it addr=N, data=N, ctrl=N:
it depends so on line N.
"""
import itertools
import sys


def closed(pairs):
    """the transitive closure"""
    after = {}
    for a, b in pairs:
        after.setdefault(a, set()).add(b)
    done = set()
    for start in after:
        stack, seen = [start], set()
        while stack:
            for b in after.get(stack.pop(), ()):
                if b not in seen:
                    seen.add(b)
                    stack.append(b)
        done |= {(start, b) for b in seen}
    return done


def acyclic(pairs):
    return all(a != b for a, b in closed(pairs))


class Event:
    def __init__(self, thread, index, line):
        words = line.split()
        self.thread, self.index, self.op = thread, index, words[0]
        self.place = words[1]
        self.value = int(words[2]) if self.op[0] == "W" else None
        self.depends = {k: int(v) for k, v in (w.split("=") for w in words if "=" in w)}


def outcomes(threads):
    """what the reads of each execution that the model allows give: {(thread, index): value}"""
    events = [Event(t, i, line) for t, lines in enumerate(threads) for i, line in enumerate(lines)]
    fences = [e for e in events if e.op == "F"]
    memory = [e for e in events if e.op != "F"]
    first = {p: Event(-1, 0, f"W {p} 0") for p in {e.place for e in memory}}
    reads = [e for e in memory if e.op[0] == "R"]
    writes = [e for e in memory if e.op[0] == "W"] + list(first.values())

    def in_order(a, b):
        return a.thread == b.thread and a.index < b.index

    order = {(a, b) for a in events for b in events if in_order(a, b)}
    kept = set()  # dob and bob, which no execution changes
    for a, b in order:
        if a.op == "F" or b.op == "F":
            continue
        between = [f.place for f in fences if in_order(a, f) and in_order(f, b)]
        if (
            "full" in between
            or "ld" in between and a.op[0] == "R"
            or "st" in between and a.op[0] == b.op[0] == "W"
            or a.op == "WL" and b.op == "RA"
            or a.op in ("RA", "RQ")
            or b.op == "WL"
        ):
            kept.add((a, b))
    at = {(e.thread, e.index): e for e in events}
    for b in events:
        for how, i in b.depends.items():
            a = at[b.thread, i]
            if b.op != "F" and (how in ("addr", "data") or b.op[0] == "W"):
                kept.add((a, b))
            later = [c for c in memory if in_order(b, c)]
            if b.op == "F" and b.place == "isb":
                kept |= {(a, c) for c in later if c.op[0] == "R"}
            if how == "addr":
                kept |= {(a, c) for c in later if c.op[0] == "W"}
    for sources in itertools.product(*[[w for w in writes if w.place == r.place] for r in reads]):
        rf = set(zip(sources, reads))
        for orders in itertools.product(*[list(itertools.permutations([w for w in writes if w.place == p and w.thread >= 0])) for p in first]):
            co = {(a, b) for p, o in zip(first, orders) for k, a in enumerate((first[p], *o)) for b in (first[p], *o)[k + 1 :]}
            fr = {(r, b) for w, r in rf for a, b in co if a is w}
            same = {(a, b) for a, b in order if a.op != "F" != b.op and a.place == b.place}
            if not acyclic(same | rf | co | fr):
                continue
            outside = {(a, b) for a, b in rf | co | fr if a.thread != b.thread}
            forwarded = {(a, r) for a, w in kept for x, r in rf if x is w and w.thread == r.thread and {"addr", "data"} & set(w.depends)}
            if acyclic(outside | kept | forwarded):
                yield {(r.thread, r.index): w.value for w, r in rf}


def allowed(threads, wanted):
    return any(all(o[k] == v for k, v in wanted.items()) for o in outcomes(threads))


# threads, what the reads give, whether Arm allows it
KNOWN = {
    "MP": ([["W x 1", "W y 1"], ["R y", "R x"]], {(1, 0): 1, (1, 1): 0}, True),
    "MP+dmb+po": ([["W x 1", "F full", "W y 1"], ["R y", "R x"]], {(1, 0): 1, (1, 1): 0}, True),
    "MP+po+addr": ([["W x 1", "W y 1"], ["R y", "R x addr=0"]], {(1, 0): 1, (1, 1): 0}, True),
    "MP+dmb+ctrl": ([["W x 1", "F full", "W y 1"], ["R y", "R x ctrl=0"]], {(1, 0): 1, (1, 1): 0}, True),
    "MP+dmb+ctrlisb": ([["W x 1", "F full", "W y 1"], ["R y", "F isb ctrl=0", "R x"]], {(1, 0): 1, (1, 2): 0}, False),
    "MP+dmb+addr": ([["W x 1", "F full", "W y 1"], ["R y", "R x addr=0"]], {(1, 0): 1, (1, 1): 0}, False),
    "MP+dmb.st+dmb.ld": ([["W x 1", "F st", "W y 1"], ["R y", "F ld", "R x"]], {(1, 0): 1, (1, 2): 0}, False),
    "MP+popl+poap": ([["W x 1", "WL y 1"], ["RA y", "R x"]], {(1, 0): 1, (1, 1): 0}, False),
    "MP+popl+poqp": ([["W x 1", "WL y 1"], ["RQ y", "R x"]], {(1, 0): 1, (1, 1): 0}, False),
    "MP+popl+po": ([["W x 1", "WL y 1"], ["R y", "R x"]], {(1, 0): 1, (1, 1): 0}, True),
    "MP+po+poap": ([["W x 1", "W y 1"], ["RA y", "R x"]], {(1, 0): 1, (1, 1): 0}, True),
    "SB": ([["W x 1", "R y"], ["W y 1", "R x"]], {(0, 1): 0, (1, 1): 0}, True),
    "SB+dmbs": ([["W x 1", "F full", "R y"], ["W y 1", "F full", "R x"]], {(0, 2): 0, (1, 2): 0}, False),
    "SB+rel-acq": ([["WL x 1", "RA y"], ["WL y 1", "RA x"]], {(0, 1): 0, (1, 1): 0}, False),
    "SB+rel-acqpc": ([["WL x 1", "RQ y"], ["WL y 1", "RQ x"]], {(0, 1): 0, (1, 1): 0}, True),
    "LB": ([["R x", "W y 1"], ["R y", "W x 1"]], {(0, 0): 1, (1, 0): 1}, True),
    "LB+datas": ([["R x", "W y 1 data=0"], ["R y", "W x 1 data=0"]], {(0, 0): 1, (1, 0): 1}, False),
    "LB+ctrls": ([["R x", "W y 1 ctrl=0"], ["R y", "W x 1 ctrl=0"]], {(0, 0): 1, (1, 0): 1}, False),
    "WRC+addrs": ([["W x 1"], ["R x", "W y 1 addr=0"], ["R y", "R x addr=0"]], {(1, 0): 1, (2, 0): 1, (2, 1): 0}, False),
    "IRIW": ([["W x 1"], ["W y 1"], ["R x", "R y"], ["R y", "R x"]], {(2, 0): 1, (2, 1): 0, (3, 0): 1, (3, 1): 0}, True),
    "IRIW+addrs": ([["W x 1"], ["W y 1"], ["R x", "R y addr=0"], ["R y", "R x addr=0"]], {(2, 0): 1, (2, 1): 0, (3, 0): 1, (3, 1): 0}, False),
    "CoRR": ([["W x 1"], ["R x", "R x"]], {(1, 0): 1, (1, 1): 0}, False),
    "CoWR": ([["W x 1", "R x"]], {(0, 1): 0}, False),
}

OPS = {"str": "W", "stlr": "WL", "ldr": "R", "ldar": "RA", "ldapr": "RQ"}


def main():
    if sys.argv[1:] == ["known"]:
        wrong = [n for n, (threads, wanted, answer) in KNOWN.items() if allowed(threads, wanted) != answer]
        print(*(f"{n}: another answer than is published" for n in wrong), f"{len(KNOWN)} tests", sep="\n")
        sys.exit(bool(wrong))
    release, acquire, store, load = (OPS[w] for w in (sys.argv[4], sys.argv[3], sys.argv[2], sys.argv[5]))
    # The data is read by the pc, behind a jump through what was loaded: that is a branch that depends on it, and no address.
    threads = [["W data 1", f"{release} handle 1"], [f"{acquire} handle", f"{store} slot 1"], [f"{load} slot", "R data ctrl=0"]]
    print("allowed" if allowed(threads, {(1, 0): 1, (2, 0): 1, (2, 1): 0}) else "forbidden")


main()
