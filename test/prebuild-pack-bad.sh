#!/bin/sh
# A pack that is none, that is torn, or in which anything is not as its index says (paths, links, devices, sizes, doubles, other content,
# other architectures, other machines, bombs) is refused by name, and nothing of it gets into the cache.
# tier: all
. "${0%/*}/common.sh"
. "${0%/*}/unit/runtime_fixture.sh"
. "${0%/*}/unit/pack_fixture.sh"
many lib 3
install lib
for n in 0 1 2; do CK_JIT_ARCH=gfx942 api "open:$T/lib/libkernels.so" compile:k$n:store >/dev/null; done
prebuild pack --all -o "$T/good" >/dev/null
mkdir -m 700 "$T/x"
# refused WORDS [FILE]: it is, and leaves nothing
refused() {
  prebuild unpack --cache-dir "$T/x" "${2-$T/bad}" >"$T/out" 2>"$T/err" && fail "$1: it was unpacked: $(cat "$T/out")"
  grep -qE -e "$1" "$T/err" || fail "no '$1' but: $(cat "$T/err")"
  grep -q 'nothing was unpacked' "$T/err" || fail "$1: $(cat "$T/err")"
  is "$1: left" "" "$(find "$T/x" "$T" -maxdepth 1 \( -path "$T/x/*" -o -name 'evil*' \))"
}
# lies WORDS PYTHON
lies() {
  lie "$T/good" "$T/bad" "$2"
  refused "$1"
}
lie "$T/good" "$T/bad" 'pass'
prebuild unpack --cache-dir "$T/y" "$T/bad" >"$T/out" || fail "the lies are not what is refused"
has "the same, by way of Python" "3 added" "$T/out"

# none, and torn
echo hello >"$T/bad" && refused "it is not a pack"
: >"$T/bad" && refused "it is not a pack: it is empty"
prebuild unpack --cache-dir "$T/x" "$T" >"$T/out" 2>"$T/err" && fail "a directory"
is "a directory" "ckjit-prebuild: error: $T: it is a directory; expected a pack" "$(cat "$T/err")"
tar --zstd -C "$T" -cf "$T/bad" stems && refused "it is not a pack"
size=$(stat -c %s "$T/good")
for keep in 5 $((size / 4)) $((size / 2)) $((size - 1)); do
  head -c "$keep" "$T/good" >"$T/bad"
  refused "it is truncated|it is not a pack|ends within"
done
zstd -q -d -c "$T/good" | head -c 20000 >"$T/bad" && refused "it is truncated: it ends within"
zstd -q -d -c "$T/good" | head -c -1024 >"$T/bad" && refused "it is truncated: its end is missing"
cp "$T/good" "$T/bad" && printf x | dd of="$T/bad" bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null && refused "truncated|damaged|ends within|is not a pack|extra bytes"
head -c $((size - 1)) "$T/good" >"$T/bad" && refused "it is truncated: the end of its compression by zstd is missing"
cp "$T/good" "$T/bad" && printf '\0' | dd of="$T/bad" bs=1 seek=$((size - 1)) conv=notrunc 2>/dev/null && refused "it is truncated or damaged: zstd: "
(cat "$T/good" && echo 'more than that') >"$T/bad" && refused "it is truncated or damaged: zstd: "

# what a tar can hold
first='members[1][0]'
lies "'\.\./evil', a file, is where the file 1\." "$first = '../evil'"
lies "'/tmp/evil', a file, is where" "$first = '/tmp/evil'"
for type in '1:a hard link' '2:a symbolic link' '3:a device' '4:a device' '5:a directory' '6:a FIFO' 'x:an extension' 'S:an extension'; do
  lies "${type#*:}.*, is where the file 1\." "members[1][1] = b'${type%%:*}'; members[1][3] = '/etc/passwd'"
done
lies "the header of 1\..* is not one that ckjit writes" "members[1][3] = '/etc/passwd'"
lies "'evil.so', a file, is where" "members.insert(1, ['evil.so', b'0', b'x' * 600, ''])"
lies "extra bytes after its last entry" "members.append(['evil.so', b'0', b'x' * 600, ''])"
lies "extra bytes after its last entry" "tail = b'x' * 100"
lies "extra bytes after its last entry" "tail = bytes(1 << 26)"
lies "is where the file 1\." "members[1], members[2] = members[2], members[1]"
lies "'1\..*a file, is where the file 2\." "members.insert(1, members[1])"
lies "is where the file 2" "del members[2]"
lies "has 100 bytes, and its index says" "members[1][2] = b'x' * 100"
lies "has 8589934591 bytes, and its index says" "members[1][2] = (8589934591, members[1][2])"
lies "index of [0-9]* bytes is too large" "members[0][2] = (1 << 30, members[0][2])"

# what an index can say
change() { # change WORDS EXPRESSION OF line
  lies "$1" "index(lambda lines: lines[:5] + [(lambda line: $2)(lines[5])] + lines[6:])"
}
lies "its index is truncated" "members[0][2] = members[0][2].replace(b'entry', b'Entry', 1).replace(b'Entry', b'entry', 1).replace(b'k0', b'k9')"
lies "first line is 'ckjit-pack 3', expected 'ckjit-pack 4'" "index(lambda lines: ['ckjit-pack 3'] + lines[1:])"
other=aarch64
[ "${CROSS:-$(uname -m)}" != aarch64 ] || other=x86_64
lies "of another machine: 'host $other'" "index(lambda lines: lines[:1] + ['host $other'] + lines[2:])"
lies "line 5 of its index" "index(lambda lines: lines[:4] + ['compile cc'] + lines[5:])"
lies "k0 for gfx942 is in it twice" "index(lambda lines: lines[:6] + lines[5:])"
change "its name is not that of an entry" "line[:-2] + '../k0'"
change "its name is not that of an entry" "line[:-2] + '.tmp-k0'"
change "its name is not that of an entry" "line[:-2] + 'a/k0'"
change "its name is not that of an entry" "line[:-2] + 'k' * 300"
change "has another form" "line[:-2] + chr(92) + 'k0'"
change "its name is not that of an entry" "line[:-2]"
change "its architectures are not valid" "line.replace('\tgfx942\t', '\tgfx942;gfx942\t')"
change "its architectures are not valid" "line.replace('\tgfx942\t', '\tg/x\t')"
change "its build id is not that of its architectures" "line.replace('\tgfx942\t', '\tgfx950\t')"
change "its build id is not that of its architectures" "line.replace('\tblob\t', '\tblob-host\t')"
change "its build id is not that of its architectures" "line.replace('\tblob\t', '\tkernel\t')"
change "has another form" "line.replace('\tblob\t', '\tnone\t')"
change "its size is not that of an entry" "re.sub('\t[0-9]+\tgfx', '\t12\tgfx', line)"
change "its size is not that of an entry" "re.sub('\t[0-9]+\tgfx', '\t99999999999\tgfx', line)"
change "has another form" "re.sub('\t[0-9]+\tgfx', '\t-5\tgfx', line)"
change "GB, and .* has .* free|and its index says" "re.sub('\t[0-9]+\tgfx', '\t8589934591\tgfx', line)"
change "has other content than its index says" "re.sub('\t[0-9a-f]{16}\t', '\t0123456789abcdef\t', line)"
# one way to write each of it
change "has another form" "re.sub('^entry [0-9a-f]*', lambda m: 'entry ' + m[0][6:].upper(), line)"
change "has another form" "re.sub('\t[0-9a-f]{16}\t', lambda m: m[0].upper() if m[0].upper() != m[0] else '\t0x' + m[0][3:], line)"
change "has another form" "re.sub('\t([0-9]+)\tgfx', r'\t0\1\tgfx', line)"
change "has another form" "line.replace('\tblob\t', '\t\tblob\t')"

# what an entry can be
lies "k0 for gfx942 is damaged" "members[1][2] = members[1][2][:9000] + b'X' + members[1][2][9001:]"
lies "k0 for gfx942 is (truncated|not an ELF|damaged)" "members[1][2] = bytes(len(members[1][2]))"
lies "(has another build id|has other content) than its index says" "members[1][2] = members[2][2]; index(lambda lines: lines[:5] + [re.sub('\t[0-9]+\tgfx', '\t%d\tgfx' % len(members[2][2]), lines[5])] + lines[6:])"

# what stands between the members, and what it is compressed by
zstd -q -d -c "$T/good" >"$T/bad"
python3 - "$T/bad" <<'END'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
size = int(data[124:135], 8)
assert size % 512
data[512 + size] = 1
open(sys.argv[1], "wb").write(data)
END
refused "there are extra bytes after its index"
python3 - "$T/bad" <<'END'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
at = 512 + (int(data[124:135], 8) + 511) // 512 * 512
data[512 + int(data[124:135], 8)] = 0
size = int(data[at + 124:at + 135], 8)
assert size % 512
data[at + 512 + size] = 1
open(sys.argv[1], "wb").write(data)
END
refused "there are extra bytes after 1\."
zstd -q -d -c "$T/good" | zstd -q --long=28 -c >"$T/bad" && refused "zstd: .*too much memory"
zstd -q -d -c "$T/good" | gzip -c >"$T/bad" && refused "it begins neither like its tar nor like the output of zstd"
gzip -c "$T/good" >"$T/bad" && refused "it is not a pack"
python3 -c 'import lzma, sys; sys.stdout.buffer.write(lzma.compress(sys.stdin.buffer.read()))' <"$T/lie.tar" >"$T/bad" && refused "it is not a pack"

# bombs: what is decompressed is not kept, and no more is read than the index announces
head -c 300000000 /dev/zero | zstd -q -c >"$T/bad" && refused "it is not a pack"
[ "$(prebuild unpack --cache-dir "$T/x" "$T/good" | cut -d, -f1)" = "3 added" ] || fail "the good one"
