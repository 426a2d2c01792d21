# pack_fixture.sh - sourced behind common.sh and runtime_fixture.sh: a library of runtime_fixture with a manifest, so that its entries can
# be packed, and packs that lie.
# shellcheck shell=sh disable=SC2154
need python3 zstd

# install NAME: a manifest of library NAME and ckjit-prebuild in its ck_jit
install() {
  dir_=$T/$1
  api "open:$dir_/libkernels.so" list | sed -n 's/^\([a-z0-9]*\) [a-z]* [0-9]*$/\1/p' | sort -u >"$T/stems"
  while read -r stem; do
    echo "$stem $(CK_JIT_ARCH=gfx942 api "open:$dir_/libkernels.so" "info:$stem" | tail -n 1)"
  done <"$T/stems" >"$T/ids"
  python3 - "$T/ids" "$dir_/ck_jit/ck_jit_manifest.json" "$flags" "$T/shim" <<'END'
import json, sys
ids, out, flags, compiler = sys.argv[1:]
blobs = {stem: {"source": "{root}/src/%s.cu" % stem, "group": 0, "functions": ["f"], "key": build_id[:32]}
         for stem, build_id in (line.split() for line in open(ids))}
json.dump({"ckjit": 1, "libraries": ["libkernels.so"], "root": "", "compiler": compiler, "blobs": blobs,
           "groups": [{"flags": flags.split(), "link": [], "archs": ["gfx942", "gfx950"]}]}, open(out, "w"))
END
  cp "$B/bin/ckjit-prebuild" "$dir_/ck_jit/"
  prebuild_=$dir_/ck_jit/ckjit-prebuild
}

prebuild() {
  "$prebuild_" "$@"
}

# lie FROM TO PYTHON: the pack FROM with the statements done to it, as TO: members is the list of [name, type, bytes, link] and
# index() a function that makes the index good again after its lines were changed by a function of them
lie() {
  zstd -q -d -c "$1" >"$T/plain.tar"
  cat >"$T/lie.py" <<'END'
import hashlib, io, re, sys, tarfile
members = []
with tarfile.open(sys.argv[1]) as tar:
    for m in tar:
        members.append([m.name, tarfile.REGTYPE, tar.extractfile(m).read(), ""])
def index(change):
    lines = members[0][2].decode().splitlines()
    count = lines.pop().split()[1]
    lines = change(lines)
    text = "".join(line + "\n" for line in lines)
    n = sum(line.startswith("entry ") for line in lines)
    members[0][2] = (text + "end %d\t%s\n" % (n, hashlib.blake2b(text.encode(), digest_size=16).hexdigest())).encode()
def header(name, kind, size, link=""):
    h = bytearray(512)
    def put(at, text): h[at:at + len(text)] = text.encode("latin-1")
    put(0, name); put(100, "0000644"); put(108, "0000000"); put(116, "0000000"); put(124, "%011o" % size)
    put(136, "00000000000"); put(148, " " * 8); h[156] = kind[0]; put(157, link); put(257, "ustar"); put(263, "00")
    put(148, "%06o\0 " % sum(h))
    return bytes(h)
tail = b""
exec(sys.argv[3])
with open(sys.argv[2], "wb") as out:
    for name, kind, data, link in members:
        size = len(data) if isinstance(data, bytes) else data[0]
        data = data if isinstance(data, bytes) else data[1]
        out.write(header(name, kind, size, link) + data + bytes(-len(data) % 512))
    out.write(bytes(1024) + tail)
END
  python3 "$T/lie.py" "$T/plain.tar" "$T/lie.tar" "$3" || fail "lie.py: $3"
  zstd -q -f "$T/lie.tar" -o "$2"
}
