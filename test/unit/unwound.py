"""unwound.py - for gdb: steps through a first call, instruction by instruction, and asks at each who called.

    gdb … -ex 'python STUB = "f(int)"; LINK = "$lr"' -x unwound.py

STUB is a stub's function, LINK the register of the return address. From its first instruction to the function behind it, without what
ckjit_trampoline calls, the frames must go on to main. Says how many instructions there were in the stub, in the cold part and in
ckjit_trampoline, and which of them went wrong.
"""
import gdb

PARTS = (STUB, "ckjit_u0_cold", "ckjit_trampoline")  # noqa: F821: as given


def say(command):
    return gdb.execute(command, to_string=True)


def part_of(address):
    """which part of the road the code at ADDRESS is; None: none of it"""
    name = say(f"info symbol {address}")
    return next((p for p in PARTS if name.startswith(p) and "libkernels" in name), None)


def walk():
    counts = dict.fromkeys(PARTS, 0)
    while True:
        where = part_of("$pc")
        if where:
            counts[where] += 1
            frames = say("backtrace")
            if " main " not in frames:
                print(f"LOST {where} at {say('x/i $pc').strip()}: {frames}")
            say("stepi")
        elif part_of(LINK):  # noqa: F821
            say(f"tbreak *{LINK}")  # noqa: F821
            say("continue")
        else:
            return counts


for line in "set pagination off", "set confirm off", "break main", "continue", f"break *(long)&'{STUB}'", "continue":  # noqa: F821
    say(line)
print("WALKED", *walk().values())
say("kill")
