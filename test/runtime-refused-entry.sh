#!/bin/sh
# What another user could have written is not executed: entries with another owner, writable by others, symbolic links, and
# what is no file.
# tier: check
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unit/runtime_fixture.sh"
library lib
driver=$T/lib/driver
so=$T/cache/value0.so
"$driver" value 0 5 >/dev/null

# refused WHY: the entry is not loaded, the kernel is compiled beside it and found from then on
refused() {
  : >"$SHIM_CALLS"
  is "$1" 1005 "$(CK_JIT_VERBOSE=1 "$driver" value 0 5 2>"$T/err")"
  has "$1" "$so is not loaded: it $1" "$T/err"
  is "$1: compiles" 1 "$(compiles)"
  is "$1: again" 1005 "$("$driver" value 0 5)"
  is "$1: compiles again" 1 "$(compiles)"
  rm -f "$T"/cache/value0.*.so
}
chmod o+w "$so"
refused "is writable by others"
chmod 755 "$so"
mv "$so" "$T/elsewhere.so"
ln -s "$T/elsewhere.so" "$so"
refused "is a symbolic link"
rm "$so"
mkfifo "$so"
refused "is not a regular file"
rm "$so"
cp "$T/elsewhere.so" "$so"
if [ "$(id -u)" = 0 ]; then
  chown 12345 "$so"
  refused "belongs to another user"
fi
