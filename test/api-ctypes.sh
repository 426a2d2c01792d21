#!/bin/sh
# examples/ctypes: a library of kernels is built with the real hipcc through a fake home, and a Python program lists, compiles and
# calls its kernels, with a cache of its own; the second process compiles nothing but its fresh ones.
# tier: all
# seconds: 35
. "${0%/*}/common.sh"
need hipcc python3
[ -z "${SANITIZER-}" ] || skip "Python would have to be built with the sanitizer"
unset ROCM_PATH ROCM_HOME HIP_PATH CXX
example=$(cd "$here/../examples/ctypes" && pwd)
export CK_JIT_CACHE_DIR="$T/cache" CK_JIT_KFD_ROOT="$T/no-gpus" CKJIT_BUILD="$B/bin/ckjit-build" LIBCKJIT="$B/lib/libckjit.so"
export PYTHONDONTWRITEBYTECODE=1
"$example/build" "$T/family" >"$T/out" 2>&1 || skip "hipcc compiles nothing here: $(tail -n 3 "$T/out")"
printf '#!/bin/sh\ncase "$*" in *-###*) ;; *) echo "$*" >>"%s" ;; esac\nexec "%s" "$@"\n' "$T/compiled" "$(command -v hipcc)" >"$T/counting-hipcc"
chmod +x "$T/counting-hipcc"
# run: the example, and how often the compiler was asked for a shared object
run() {
  : >"$T/compiled"
  CK_JIT_HIPCC=$T/counting-hipcc python3 "$example/example.py" "$T/family/libfamily.so" >"$T/out" || fail "$(cat "$T/out")"
  grep -c -- '-shared' "$T/compiled" || true
}
[ "$(run)" = 6 ] || fail "not 4 compiles and 2 fresh ones: $(cat "$T/compiled")"
for line in '  add      absent  int add_<0>(int)' '  states: loaded, loaded, loaded, loaded' '  largest: 4, 4' '  1 + 2 = 3' '  2 + 2 = 4' \
  "  libfamily.so: there is no kernel 'no_such_kernel', and no function of that mangled name, among its 4 kernels"; do
  grep -qxF -e "$line" "$T/out" || fail "'$line' is not in $(cat "$T/out")"
done
[ "$(grep -c '^  \[[1-4]/4\] [a-z]* done in [0-9.]* s$' "$T/out")" = 4 ] || fail "progress: $(cat "$T/out")"
[ "$(run)" = 2 ] || fail "the second process compiles: $(cat "$T/compiled")"
grep -qxF '  add      cached  int add_<0>(int)' "$T/out" || fail "not cached: $(cat "$T/out")"

# what the example does not do: batches, lists, what a callback raises, a library that is loaded already
cat >"$T/more.py" <<'END_'
import ctypes, gc, os, sys
sys.path.insert(0, sys.argv[1])
import ckjit
try:
    ckjit.Library.loaded("libfamily.so")
    assert False
except ckjit.Error as e:
    assert e.status == 3, e
family = ctypes.CDLL(sys.argv[2])
library = ckjit.Library.loaded("libfamily.so")
assert library.path == sys.argv[2] and len(library) == 4, library.path
seen = []
batch = library.start(progress=lambda e: seen.append((e.kind, e.executor)) or False)
assert batch.wait() and batch.poll()[0]
assert [k for k, _ in seen].count("done") == 4
add = [x for k, x in seen if x and x.kernel.stem == "add"][0].function(ctypes.c_int, ctypes.c_int)
del batch, library, seen
gc.collect()
assert add(41) == 42
library = ckjit.Library(sys.argv[2])
# by the types of the C++ signature
largest = library["largest"].compile().function()
assert (largest.restype, largest.argtypes) == (ctypes.c_double, (ctypes.c_void_p, ctypes.c_long))
assert largest((ctypes.c_double * 4)(3, 1, 4, 1), 4) == 4
symbol = library["add"].symbols[0][0]
assert library["add"].compile().function(symbol=symbol)(1) == library["add"].compile().function(ctypes.c_int, ctypes.c_int)(1) == 2
p, i = ctypes.c_void_p, ctypes.c_int
for signature, types in (("void f<by<2>, std::pair<int, long> >()", (None, [])), ("float const& g<1>(S*, unsigned char)", (p, [p, ctypes.c_ubyte])),
                         ("unsigned int (anonymous namespace)::f<(anonymous namespace)::T>(bool, void const* __restrict)", (ctypes.c_uint, [ctypes.c_bool, p])),
                         ("int k<(f)(3)>(int&)", (i, [p]))):
    assert ckjit.types_of(signature) == types, (signature, ckjit.types_of(signature))
for signature in ("f(int)", "std::string f<1>(int)", "void f<1>(ck::half)", "void f<1>(int, ...)", "int f<1>(void (*)(int))", None, "", "x)", "f",
                  "void (*f<1>(int))(long)", "int f<1>(int) const"):
    try:
        ckjit.types_of(signature)
    except TypeError as e:
        assert "; say the types: function(result, *arguments)" in str(e), e
    else:
        assert False, signature
def stop(event):
    raise KeyError("stop")
for how in (lambda: library.compile(progress=stop), lambda: library.start(progress=stop).wait()):
    try:
        how()
        assert False
    except KeyError:
        pass
with open(sys.argv[3], "w") as f:
    f.write("add\n# none\nnorm.cu\n")
assert library.prewarm(sys.argv[3]).done == 2
with open(sys.argv[3], "a") as f:
    f.write("other\n")
try:
    library.prewarm(sys.argv[3])
    assert False
except ckjit.Error as e:
    assert e.status == 6 and sys.argv[3] + ":4: unknown kernel 'other'" in str(e), e
assert len(library.read_list(sys.argv[3], skip_unknown=True)) == 2
try:
    library["add"].compile(fresh=True, flags="-DA=;")
    assert False
except ckjit.Error as e:
    assert e.status == 7 and "add.cu:" in str(e), e
END_
python3 "$T/more.py" "$example" "$T/family/libfamily.so" "$T/list" || fail "more.py"

# What the library prints goes to a logger, which lives as long as the library may call it; one that raises is no harm to the call.
cat >"$T/logger.py" <<'END_'
import gc, os, sys
sys.path.insert(0, sys.argv[1])
import ckjit
os.environ["CK_JIT_VERBOSE"] = "1"
os.environ["CK_JIT_CACHE_DIR"] = sys.argv[3]
said = []
library = ckjit.Library(sys.argv[2])
library.set_logger(lambda severity, message: said.append((severity, message)))
other = ckjit.Library(sys.argv[2])
del library
gc.collect()
other["norm"].compile()
chosen = sys.argv[3] + "-chosen"
other.set_cache_dir(chosen)
other.compile([other["norm"]], store_only=True)
assert os.path.exists(os.path.join(chosen, "norm.so")), chosen
other.set_cache_dir(None)
assert any(s == "progress" and m.startswith("norm: compiled in ") for s, m in said), said
refused = []
def sets_one(severity, message):
    try:
        other.set_logger(None)
    except ckjit.Error as e:
        refused.append(e.status)
other.set_logger(sets_one)
other["norm"].compile(fresh=True)
assert refused and set(refused) == {1}, refused
n = len(said)
unraisable = []
sys.unraisablehook = lambda u: unraisable.append(u.exc_type)
def raises(severity, message):
    raise KeyError(message)
other.set_logger(raises)
other["norm"].compile(fresh=True)
assert unraisable and set(unraisable) == {KeyError}, unraisable
other.set_logger(None)
other["norm"].compile(fresh=True)  # printed again
other.set_logger(raises)  # and left when Python ends
assert len(said) == n, said
END_
python3 "$T/logger.py" "$example" "$T/family/libfamily.so" "$T/other" 2>"$T/err" || fail "logger.py: $(cat "$T/err")"
[ "$(grep -c '^ckjit: norm: compiled in ' "$T/err")" = 1 ] || fail "not just what no logger had is printed: $(cat "$T/err")"
