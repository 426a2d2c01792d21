#!/bin/sh
# CK_JIT_CACHE_READONLY_DIR is looked into first and never written to. One that another user could have written to is said once,
# and not used.
# tier: all
# seconds: 15
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/unit/runtime_fixture.sh"
library lib
library other 2
driver=$T/lib/driver

CK_JIT_CACHE_DIR=$T/shared "$driver" value 0 5 >/dev/null
rm -r "$T/shared/.locks"
chmod 555 "$T/shared"
before=$(find "$T/shared" -printf '%p %t %m\n' | sort)
export CK_JIT_CACHE_READONLY_DIR="$T/shared"
is "from there" 1005 "$(CK_JIT_VERBOSE=1 "$driver" value 0 5 2>"$T/err")"
has "loaded" "loaded from $T/shared/value0.so" "$T/err"
is "compiles" 1 "$(compiles)"
is "not there" 1105 "$("$driver" value 1 5)"
is "another version" 2005 "$("$T/other/driver" value 0 5)"
is "compiles, what is not there" 3 "$(compiles)"
[ -e "$T/cache/value1.so" ] || fail "not compiled into the cache"
is "written to" "$before" "$(find "$T/shared" -printf '%p %t %m\n' | sort)"

# An entry there that was damaged is compiled into the cache.
chmod 755 "$T/shared" "$T/shared/value0.so"
printf x | dd of="$T/shared/value0.so" bs=1 seek=5000 conv=notrunc 2>/dev/null
chmod 555 "$T/shared"
is "damaged" 1005 "$(CK_JIT_VERBOSE=1 "$driver" value 0 5 2>"$T/err")"
has "why" "$T/shared/value0.so is not loaded: it is damaged" "$T/err"
is "compiles, damaged" 4 "$(compiles)"

# refused WHY
refused() {
  rm -rf "$T/cache"
  is "$1" 4200 "$("$driver" threads 2 2>"$T/err")" # two kernels
  is "$1: said" 1 "$(grep -c "CK_JIT_CACHE_READONLY_DIR: .*/shared $1: it is not used" "$T/err")"
}
chmod 777 "$T/shared"
refused "is writable by others"
chmod 755 "$T/shared"
if [ "$(id -u)" = 0 ]; then
  chown 12345 "$T/shared"
  refused "belongs to another user"
  chown 0 "$T/shared"
fi
mv "$T/shared" "$T/elsewhere"
ln -s elsewhere "$T/shared"
refused "is a symbolic link; name the directory that it points to"
rm "$T/shared"
refused "is not there"
