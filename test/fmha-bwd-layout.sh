#!/bin/sh
# The workspace of examples/fmha-bwd to the byte, against what CK's document says, computed once more in Python: its size,
# nsplits, offsets, padding, dq_acc zeroed or untouched, and nothing written behind the end. A layout by other rules is noticed.
# tier: all
# seconds: 26
. "${0%/*}/common.sh"
. "$here/unit/fmha_bwd_fixture.sh"
lazy
warm
cat >"$T/layout.py" <<'PY'
import itertools, os, random, struct, subprocess, sys

bwd, dump, rule = sys.argv[1:4]
ALIGNMENT = 8 if rule == "alignment" else 16


def align_up(n):
    return (n + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT


def ceil(a, b):
    return -(-a // b)


def persistent_nsplits(batch, nhead, seqlen_k, n0, workers):
    """CK's bound on the workers that one head can have: no deal of the tiles may need more.

    The tiles of all heads are dealt out in equal consecutive shares.
    """
    tiles = ceil(seqlen_k, n0)
    total = batch * nhead * tiles
    if total == 0:
        return 0
    share = ceil(total, workers)
    if tiles % share == 0:
        bound = tiles // share
    else:
        bound = 1 if share % tiles == 0 else 1 + ceil(tiles - 1, share)
    most = max(len({(head * tiles + i) // share for i in range(tiles)}) for head in range(batch * nhead))
    assert most <= bound, (batch, nhead, seqlen_k, n0, workers, most, bound)
    return bound


def expected(group, deterministic, mask, qr, batch, nhead, d, rows_q, rows_k, n0, workers):
    """Head of the workspace, bytes of dq_acc, and whether they are zeroed."""
    if qr:
        return b"", 0, False
    per_sequence = group and deterministic
    if per_sequence:
        nsplits = [ceil(k, n0) for k in rows_k]
        offsets = [0]
        for n, q in zip(nsplits, rows_q):
            offsets.append(offsets[-1] + nhead * n * q * d)
        if rule == "exclusive":
            offsets = [0] + offsets[:-1]
        elements = sum(nhead * n * q * d for n, q in zip(nsplits, rows_q))
    else:
        nsplits = [persistent_nsplits(batch, nhead, rows_k[0], n0, workers) if deterministic else 1]
        elements = sum(nhead * nsplits[0] * q * d for q in rows_q)
    head = struct.pack(f"<{len(nsplits)}i", *nsplits)
    head += bytes(align_up(len(head)) - len(head))
    if per_sequence:
        part = struct.pack(f"<{len(offsets)}q", *offsets)
        head += part + bytes(align_up(len(part)) - len(part))
    zero = not deterministic or not group or mask
    return head, 4 * elements, zero


def check(group, deterministic, mask, batch, nhead, d, s, s_k, pad_q, pad_k, workers):
    rows_q, rows_k = [a + b for a, b in zip(s, pad_q)], [a + b for a, b in zip(s_k, pad_k)]
    qr = max(rows_q) <= 16
    n0 = 16 if d <= 32 or max(rows_k) <= 64 or qr else 32
    words = {"mode": "group" if group else "batch", "deterministic": int(deterministic), "mask": "b" if mask else "0",
             "b": batch, "h": nhead, "d": d, "s": s, "s_k": s_k, "run": 0, "dump": dump}
    if group:
        words |= {"s_qpad": rows_q, "s_kpad": rows_k}
    words = [f"-{k}={','.join(map(str, v)) if isinstance(v, list) else v}" for k, v in words.items()]
    env = dict(os.environ, FMHA_BWD_NUM_CUS=str(workers))
    done = subprocess.run([bwd, *words], env=env, capture_output=True, text=True)
    head, size, zero = expected(group, deterministic, mask, qr, batch, nhead, d, rows_q, rows_k, n0, workers)
    want = head + (b"\0" if zero else b"\xff") * size + b"\xff" * 64
    got = open(dump, "rb").read() if done.returncode == 0 else b""
    if f"\nworkspace_size {len(head) + size}\n" in done.stdout and got == want:
        return True
    at = next((i for i, (a, b) in enumerate(zip(got, want)) if a != b), min(len(got), len(want)))
    print(f"{' '.join(words)} ({workers} workers): {len(got) - 64} bytes, expected {len(want) - 64}; first difference at {at}\n"
          f"{done.stdout}{done.stderr}")
    return False


random.seed(int(os.environ["SEED"]))
right, n = 0, 0
for group, deterministic, mask in itertools.product((False, True), repeat=3):
    for case in range(int(os.environ.get("CASES", "8"))):
        batch, nhead = random.choice((1, 2, 3, 4, 5, 7)), random.choice((1, 2, 3, 8))
        few = 16 if case == 0 else 90  # case 0: QrQtrDor
        same = lambda top: [random.randint(1, top)] * batch
        any_ = lambda top: [random.randint(0, top) for _ in range(batch)]
        s = any_(few) if group else same(few)
        pad_q = [random.randint(0, few - x) for x in s] if group else [0] * batch
        if case > 0 and max(a + b for a, b in zip(s, pad_q)) <= 16:
            s[0], pad_q[0] = 17, 0
            s = s if group else [17] * batch
        s_k = any_(150) if group else same(150)
        pad_k = [random.choice((0, 0, 5, 40)) for _ in s_k] if group else [0] * batch
        n += 1
        # Of 64 there are two tiles, of which only long sequences have the larger one; one kind of kernels is enough.
        d = random.choice((32, 33, 64) if group and deterministic and not mask else (8, 30, 32))
        right += check(group, deterministic, mask, batch, nhead, d, s, s_k, pad_q, pad_k, random.choice((1, 2, 3, 5, 8, 104, 304)))
        if right < n:
            sys.exit(1)
print(right, "layouts")
PY
seed
ends 0 python3 "$T/layout.py" "$bwd" "$T/dump" document
says '64 layouts'
for wrong in alignment exclusive; do
  ends 1 env SEED=1 python3 "$T/layout.py" "$bwd" "$T/dump" $wrong
  grep -q 'first difference at' "$T/out" || fail "$(cat "$T/out" "$T/err")"
done

# By hand: three sequences, 2 heads of 32, tiles of 16 keys.
ends 0 "$bwd" -mode=group -deterministic=1 -b=3 -s=40,7,33 -s_k=70,16,1 -run=0 -dump="$T/dump"
says "workspace_size $((16 + 32 + 4 * 2 * 32 * (5 * 40 + 1 * 7 + 1 * 33)))"
od -An -v -tx1 -w16 -N64 "$T/dump" | sed 's/^ //' >"$T/hex"
cat >"$T/hand" <<'END'
05 00 00 00 01 00 00 00 01 00 00 00 00 00 00 00
00 00 00 00 00 00 00 00 00 32 00 00 00 00 00 00
c0 33 00 00 00 00 00 00 00 3c 00 00 00 00 00 00
ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff
END
cmp -s "$T/hex" "$T/hand" || fail "$(diff "$T/hand" "$T/hex")"
