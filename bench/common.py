"""Shared by the modules of the benchmark: running things in turn, figures with their limits, the table, JSON.

A module (any bench/*.py except this one and inputs.py) has a list FIGURES. Each Figure names a function that measures
and returns a Result, or raises Skip with the reason, or Failure. Both sides of a figure are run in turn, a round at a
time, so that other work on the machine affects both; medians are compared.
"""

import dataclasses
import json
import os
import platform
import shlex
import shutil
import statistics
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(HERE)
HELPERS = f"{HERE}/helpers"
B = os.path.abspath(os.environ.get("B", f"{TOP}/build"))
OUT = f"{B}/bench"
ROUNDS = None  # run --rounds: of figures whose rounds take long
FULL = False  # run --full
STOCK = "saved"  # run --stock: see postbuild.py


class Failure(Exception):
    """Something did not run. The figure has no value, and the benchmark fails."""


class Skip(Exception):
    """The figure needs something that this machine lacks."""


@dataclasses.dataclass
class Result:
    ours: list  # one value a round
    against: list  # likewise; empty: nothing to hold it against
    unit: str
    inputs: dict
    extra: dict = dataclasses.field(default_factory=dict)  # further numbers, which limits may name


@dataclasses.dataclass
class Limit:
    """An upper bound (with least=True a lower bound). OF: ratio, difference, ckjit, or a name in Result.extra."""

    of: str
    bound: float
    least: bool = False

    def kept(self, row):
        value = row[self.of] if self.of in row else row["extra"].get(self.of)
        return None if value is None else value >= self.bound if self.least else value <= self.bound

    def text(self, unit):
        sign = ">=" if self.least else "<="
        return {
            "ratio": f"{sign} {self.bound:g}x",
            "difference": f"{sign} +{self.bound:g} {unit}",
            "ckjit": f"{sign} {self.bound:g} {unit}",
        }.get(self.of, f"{self.of} {sign} {self.bound:g}")


@dataclasses.dataclass
class Figure:
    name: str
    measure: object  # () -> Result; its docstring is "what ckjit does | what it is compared with"
    limits: list = dataclasses.field(default_factory=list)
    full: bool = False  # only with --full
    ratio: str = "ckjit/against"  # or against/ckjit, where both are times and the figure is a throughput


def run(*command, cwd=None, env=None, unset=()):
    """The seconds that COMMAND took; Failure with the end of its output."""
    return said(*command, cwd=cwd, env=env, unset=unset)[0]


def said(*command, cwd=None, env=None, unset=()):
    """(seconds, output) of COMMAND; ENV is added to this process's."""
    environment = {k: v for k, v in {**os.environ, **(env or {})}.items() if k not in unset}
    start = time.perf_counter()
    done = subprocess.run(
        command, cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    seconds = time.perf_counter() - start
    text = done.stdout.decode(errors="replace")
    if done.returncode:
        raise Failure(f"{shlex.join(command)[:2000]} ended with {done.returncode}:\n{text[-3000:]}")
    return seconds, text


def attempt(*command, cwd=None, env=None):
    """The output of COMMAND, even if it failed."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, **(env or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return done.stdout.decode(errors="replace")


def peak_rss(*command, cwd=None, env=None):
    """(seconds, MiB of the largest process) of COMMAND and all processes that it started and waited for."""
    with open(f"{OUT}/peak.log", "wb") as log:
        start = time.perf_counter()
        child = subprocess.Popen(command, cwd=cwd, env={**os.environ, **(env or {})}, stdout=log, stderr=log)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        with open(f"{OUT}/peak.log", errors="replace") as log:
            raise Failure(f"{shlex.join(command)[:2000]} ended with {child.returncode}:\n{log.read()[-3000:]}")
    return seconds, usage.ru_maxrss / 1024


def in_turn(rounds, ours, against):
    """Call both with the number of the round, in alternating order; the lists of results."""
    values = {ours: [], against: []}
    for i in range(rounds):
        for side in (ours, against) if i % 2 == 0 else (against, ours):
            values[side].append(side(i))
    return values[ours], values[against]


def rounds(default):
    """How many rounds of a long measurement."""
    return ROUNDS or default


def fresh(name):
    """An empty directory of that name, below build/bench."""
    directory = f"{OUT}/{name}"
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    return directory


def helper(name, directory, *flags):
    """The program compiled from helpers/NAME.c."""
    program = f"{directory}/{name}"
    run("cc", "-O2", "-D_GNU_SOURCE", f"{HELPERS}/{name}.c", "-o", program, *flags)
    return program


def spawned(spawn, count, ours, against, cwd=None, env=None, batch=1):
    """Both commands run COUNT times, BATCH at a time in turn, by SPAWN, a command of helpers/spawn.c: microseconds. {n} is
    a run's number."""
    _, text = said(*spawn, str(count // batch), str(batch), *ours, "--", *against, cwd=cwd, env=env)
    pairs = [tuple(map(float, line.split())) for line in text.splitlines()]
    return [a for a, _ in pairs], [b for _, b in pairs]


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            raise Skip(f"there is no {program} here")


# ---- a figure's row ----


def compare(result, ratio):
    """Ratio and difference: the median over the rounds, because the load of the machine changes between rounds."""
    pairs = list(zip(result.ours, result.against))
    if len(result.ours) != len(result.against):  # not in turn
        pairs = [(statistics.median(result.ours), statistics.median(result.against))]
    ratios = [a / b if ratio == "ckjit/against" else b / a for a, b in pairs]
    return {"ratio": statistics.median(ratios), "difference": statistics.median(a - b for a, b in pairs)}


def row_of(figure, result):
    row = {"name": figure.name, "what": figure.measure.__doc__, "unit": result.unit}
    row["ckjit"] = statistics.median(result.ours)
    if result.against:
        row["against"] = statistics.median(result.against)
        row.update(compare(result, figure.ratio))
    row.update(rounds=len(result.ours), full=FULL, input=result.inputs, extra=result.extra)
    row["limits"] = [{"limit": limit.text(result.unit), "kept": limit.kept(row)} for limit in figure.limits]
    row["all"] = {"ckjit": result.ours[:100], "against": result.against[:100]}
    return row


HEAD = f"{'':18} {'ckjit':>12} {'against':>12} {'ratio':>8}  {'limit':28} what"


def number(value, unit):
    return "" if value is None else f"{value:.0f} {unit}" if value >= 10000 else f"{value:.2f} {unit}"


def print_row(row):
    unit = row["unit"]
    limits = []
    for limit in row["limits"]:
        verdict = {True: "kept", False: "MISSED", None: "not measured"}[limit["kept"]]
        limits.append(f"{limit['limit']} {verdict}")
    ratio = f"{row['ratio']:.3f}" if "ratio" in row else ""
    print(
        f"{row['name']:18} {number(row['ckjit'], unit):>12} {number(row.get('against'), unit):>12} {ratio:>8}  "
        f"{limits[0] if limits else '':28} {row['what']}",
        flush=True,
    )
    for text in limits[1:]:
        print(f"{'':53}  {text}")
    for key, value in row["extra"].items():
        print(f"{'':53}  {key} {value:.4g}" if isinstance(value, float) else f"{'':53}  {key} {value}", flush=True)


def machine():
    with open("/proc/cpuinfo") as f:
        cpu = next((line.split(":")[1].strip() for line in f if line.startswith("model name")), platform.machine())
    text = attempt("hipcc", "--version") if shutil.which("hipcc") else "no hipcc"
    hip = next((line for line in text.splitlines() if line.startswith("HIP version")), text)
    return {"cpu": cpu, "processors": len(os.sched_getaffinity(0)), "hipcc": hip, "load": os.getloadavg()[0]}


def write_json(module, rows):
    with open(f"{OUT}/{module}.json", "w") as f:
        json.dump({"machine": machine(), "figures": rows}, f, indent=1)
