#!/bin/sh
# A template gives what CMake's configure_file(… @ONLY) gives, byte for byte; and CMake can take the sources from us.
# tier: all
. "${0%/*}/common.sh"
need cmake python3
cd "$T"
cat >compare.py <<'END_'
import json, os, random, subprocess, sys
program, first, seeds = sys.argv[1], int(sys.argv[3]), int(sys.argv[2])
words = ["@", "@a@", "@b@", "@c@", "@a", "a@", "@a b@", "@a-b.c/d+e@", "${a}", "\\", '"', ";", " ", "\t", "\n", "\n", "\r\n", "\r",
         "#cmakedefine a", "#cmakedefine b", "#cmakedefine  c\t", "#cmakedefine01 a", "#\tcmakedefine01  b", "# cmakedefine c @a@",
         "#cmakedefine", "#cmakedefine01", "#define a", "#", "##", "cmakedefine a", "é", "(@a@@b@)", "@@", "[==[", "#]"]
values = ["", "0", "1", "on", "OFF", "off", "No", "n", "FALSE", "IGNORE", "NOTFOUND", "notfound", "x-NOTFOUND", "x-notfound", "float",
          "a;b", "@b@", "${b}", "a b", "\\", '"q"', "TRUE", "long long", "00", "-0", "#"]
quote = lambda v: "[==[" + v + "]==]"
script, wanted = [], []
for seed in range(seeds):
    r = random.Random(first + seed)
    text = "".join(r.choice(words) for _ in range(r.randrange(40)))
    # a carriage return that ends no line is text in ours, and there; one behind the last line is not worth a rule
    text = text.rstrip("\r")
    matrix = {name: r.choice(values) for name in ("a", "b", "c", "a-b.c/d+e")}
    open(f"{seed}.in", "wb").write(text.encode())
    json.dump(matrix, open(f"{seed}.json", "w"))
    script += [f"set({k} {quote(v)})" for k, v in matrix.items()]
    script.append(f'configure_file("{os.getcwd()}/{seed}.in" "{os.getcwd()}/{seed}.cmake" @ONLY)')
open("script.cmake", "w").write("\n".join(script))
subprocess.run(["cmake", "-P", "script.cmake"], check=True)
compared = 0
for seed in range(seeds):
    ours = subprocess.run([program, "matrix", f"{seed}.json", "--template", f"{seed}.in", "--output", "-"], capture_output=True)
    theirs = open(f"{seed}.cmake", "rb").read()
    if b"is not a variable of" in ours.stderr: # the words happened to name one, which is nothing there and an error here
        continue
    compared += 1
    assert ours.returncode == 0 and ours.stdout == theirs, (seed, open(f"{seed}.in", "rb").read(), open(f"{seed}.json").read(), ours, theirs)
assert compared > seeds / 2, compared
END_
seed
python3 compare.py "$B/bin/ckjit-prebuild" "${COUNT:-300}" "$SEED" || fail 'not as CMake has it'

# The sources of a target.
echo '{"n": ["1", "2", "3"]}' >m.json
echo 'template <> int kernel_<@n@>() { return @n@; }' >kernel.cu.in
cat >take.cmake <<'END_'
execute_process(COMMAND "${PREBUILD}" matrix m.json --template kernel.cu.in --output-dir "gen dir" --name-format "kernel_@n@"
                OUTPUT_VARIABLE sources OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" sources "${sources}")
list(LENGTH sources n)
message(STATUS "${n} sources, the last ${sources}")
END_
cmake -DPREBUILD="$B/bin/ckjit-prebuild" -P take.cmake >out 2>&1 || fail "$(cat out)"
grep -q -e '-- 3 sources, the last gen dir/kernel_1.cu;gen dir/kernel_2.cu;gen dir/kernel_3.cu' out || fail "$(cat out)"
