#!/bin/sh
# The types of `import ckjit`: mypy finds nothing in the module, nothing in a program that uses it as docs/python.md shows, and finds
# what is wrong in one that does not. The stub of the ctypes module has no name and no parameter that the module lacks.
# tier: all
# seconds: 12
. "${0%/*}/common.sh"
need mypy python3
[ -z "${SANITIZER-}" ] || skip "Python would have to be built with the sanitizer"
export MYPYPATH="$here/../python"
check() {
  mypy --strict --no-color-output --cache-dir "$T/cache" "$@" >"$T/out" 2>&1
}
check -p ckjit || fail "$(cat "$T/out")"
cat >"$T/use.py" <<'END'
import ctypes
from typing import Dict
import ckjit
with ckjit.home("cuda", directory="d", cuda="/usr/local/cuda") as home:
    environment: Dict[str, str] = home.environment()
ckjit.activate(units=True).deactivate()
library = ckjit.kernels("l.so")
status: Dict[str, str] = library.status()
def progress(event: ckjit.Event) -> bool:
    return event.done > 3
done: int = library.compile(library.capture("used"), parallel=2, progress=progress).done
add = library["add"].compile(flags="-DA=1").function(ctypes.c_int, ctypes.c_int)
try:
    library.start().wait(1.5)
except ckjit.Error as error:
    number: int = error.status
END
check "$T/use.py" || fail "$(cat "$T/out")"
cat >"$T/bad.py" <<'END'
import ckjit
ckjit.home(profil="cuda")
ckjit.kernels(3)
ckjit.kernels("l.so").status().append("x")
ckjit.activated()
print(ckjit.Kernels)
END
check "$T/bad.py" && fail 'nothing found in what is wrong'
for line in 2 3 4 5 6; do
  grep -q "bad.py:$line: error" "$T/out" || fail "line $line: $(cat "$T/out")"
done
cat >"$T/stub.py" <<'END'
import ast, inspect, sys
sys.path.insert(0, sys.argv[1])
import ckjit._library as real
def compare(nodes, owner, name):
    count = 0
    for node in nodes:
        if isinstance(node, ast.ClassDef):
            count += compare(node.body, getattr(owner, node.name), node.name)
        elif isinstance(node, ast.FunctionDef) and not (node.name == "__init__" and name == "Error"):
            found = getattr(owner, node.name)
            if isinstance(found, property):
                continue
            has = [p for p in inspect.signature(found).parameters]
            for argument in node.args.args[1:] if name else node.args.args:
                assert argument.arg in has or "how" in has, "%s.%s has no parameter %s" % (name, node.name, argument.arg)
            count += 1
    return count
assert compare(ast.parse(open(sys.argv[1] + "/ckjit/_library.pyi").read()).body, real, "") > 15
END
LIBCKJIT="$B/lib/libckjit.so" PYTHONDONTWRITEBYTECODE=1 python3 "$T/stub.py" "$here/../python" >"$T/out" 2>&1 || fail "$(cat "$T/out")"
