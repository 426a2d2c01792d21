# shellcheck shell=sh
# memo NAME: the memo of NAME (core/base/memofile.h) with the text of the standard input
memo() {
  python3 -c '
import sys
text = sys.stdin.buffer.read()
digest = 0xcbf29ce484222325
for byte in sys.argv[1].encode() + b"\0" + text:
    digest = (digest ^ byte) * 0x100000001b3 % 2**64
sys.stdout.buffer.write(b"ckjit-memo 3\n%016x\n" % digest + text)' "$1"
}
