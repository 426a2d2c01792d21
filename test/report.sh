#!/bin/sh
# report packs a failed compile: log with the command, source, own headers, versions, and of the environment only what ckjit and compilers
# read; it says what is in it. What is not known is left out and said; if nothing is known, nothing is written.
# tier: check
. "${0%/*}/common.sh"
. "$here/unit/export_fixture.sh"
need zstd tar
mkdir "$T/here" && cd "$T/here"
report() { "$B/bin/ckjit" report "$@"; }
unset CK_JIT_MANIFEST
report 2>err && fail 'a report of nothing'
grep -q "report: the cache $T/cache has no log of a failed compile; name a kernel" err || fail "$(cat err)"
export CK_JIT_MANIFEST="$demo/w/libdemo/ck_jit_manifest.json" CK_JIT_ARCH=gfx90a
[ -e "$CK_JIT_MANIFEST" ] || CK_JIT_MANIFEST=$(find "$demo/w" -name ck_jit_manifest.json)

cat >refuses <<END
#!/bin/sh
for word; do case \$word in -\#\#\# | --version) exec hipcc "\$@" ;; esac; done
exec hipcc -include no_such_header.h "\$@"
END
chmod +x refuses
CK_JIT_HIPCC=$T/here/refuses "$B/bin/ckjit" build k64 >out 2>&1 && fail 'it compiled'
export SECRET_TOKEN=hunter2 SCCACHE_KEY=hunter2
report >out 2>err || fail "$(cat err)"
[ -s ckjit-report-k64.tar.zst ] && [ ! -s err ] || fail "$(cat out err)"
mkdir x && zstd -qdc ckjit-report-k64.tar.zst | tar -C x -xf - || fail 'it does not unpack'
(cd x && find . -type f | sort) >has
printf '%s\n' ./environment.json "./headers$demo/demo.h" ./inputs.txt ./kernel.json ./log.txt ./machine.json ./source/k64.cu | cmp - has || fail "$(cat has)"
for name in log.txt source/k64.cu kernel.json machine.json environment.json headers/ ckjit-report-k64.tar.zst; do
  grep -q "^$name" out || fail "it does not say $name: $(cat out)"
done
head -n 1 x/log.txt | grep -q "$T/here/refuses .*k64.cu" && grep -q no_such_header.h x/log.txt || fail "$(cat x/log.txt)"
cmp x/source/k64.cu "$demo/k64.cu" && cmp "x/headers$demo/demo.h" "$demo/demo.h" || fail 'other texts'
cat x/*.* >all
lacks 'a secret is in it' hunter2 all
python3 - <<'END2'
import json
e, k, m = (json.load(open(f"x/{n}.json")) for n in ("environment", "kernel", "machine"))
assert e["CK_JIT_ARCH"] == "gfx90a" and "PATH" in e and not [n for n in e if "TOKEN" in n or n == "HOME"], e
assert k["kernel"] == "k64" and k["compiler_kind"] == "hip" and m["version"], k
END2

# a log by its name, to standard output; a kernel without a log; without the manifest
report -o - "$T/cache/.logs/k64.log" | zstd -qdc | tar -tf - | grep -qx log.txt || fail 'of a log'
report k128 -o two >out 2>err || fail "$(cat err)"
grep -q 'k128: it has no log: no compile of it has failed' err && grep -q '^source/k128.cu' out || fail "$(cat out err)"
mkdir -m 700 other
env -u CK_JIT_MANIFEST CK_JIT_CACHE_DIR="$PWD/other" "$B/bin/ckjit" report "$T/cache/.logs/k64.log" -o three >out 2>err || fail "$(cat err)"
grep -q 'k64: it has no source: the library is not known; name the library.s manifest by --manifest' err || fail "$(cat out err)"
report nothing 2>err && fail 'a report of nothing'
grep -q "report: nothing: no log of a failed compile in $T/cache, and its library does not have it; nothing was written" err || fail "$(cat err)"
[ ! -e ckjit-report-nothing.tar.zst ] || fail 'it was written'
status=0
report k64 k128 2>err || status=$?
[ $status = 2 ] || fail "$(cat err)"
