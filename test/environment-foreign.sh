#!/bin/sh
# Directories that the link's variables name are used if nobody but root and the user can have made what is there now, or if the job
# names them as well. Others are left out: no program of theirs runs, and what is compiled without a directory of libraries is apart.
# tier: all
# seconds: 23
. "${0%/*}/common.sh"
[ "$(id -u)" = 0 ] || skip 'needs root'
. "$here/unit/postbuild_fixture.sh"
unset LIBRARY_PATH HIP_CLANG_PATH LD_LIBRARY_PATH CK_JIT_COMPILE_ENV
mkdir -p tools/bin libs
mkdir -m 1777 open # as /tmp is
mkdir open/more
real=$(command -v hipcc)
cat >tools/bin/hipcc <<END
#!/bin/sh
env >"$T/seen"
name=helper
found=\$(command -v "\$name") && "\$found" || :
unset HIP_CLANG_PATH
exec "$real" "\$@"
END
printf '#!/bin/sh\n: >"%s/ran"\n' "$T" >open/more/helper
printf '#!/bin/sh\nexit 3\n' >broken
chmod +x tools/bin/hipcc open/more/helper broken
rm -rf home
CK_JIT_HIPCC=$T/tools/bin/hipcc "$B/bin/ckjit-build" home --dir "$T/home" >exports
kernel 1 && host 1
objects k1 host
as_build env PATH="$T/home/bin:$T/open/more:$PATH" LIBRARY_PATH="$T/libs:/usr/lib" HIP_CLANG_PATH="$T/open/more" \
  hipcc -shared -o liba.so k1.o host.o || fail "$(cat err)"
says ': 1 blob is lazy'
id_of_it() { readelf -n cache/k1.so | sed -n 's/.*Build ID: //p'; }
# call: in an empty cache; what the compiler was given is in seen
call() {
  rm -rf cache ran seen
  right liba.so 1
  [ -s seen ] || fail 'the compiler has not run'
}
call
[ -e ran ] || fail 'what the link had on its PATH is not there'
grep -qxF "HIP_CLANG_PATH=$T/open/more" seen && grep -qxF "LIBRARY_PATH=$T/libs:/usr/lib" seen || fail "not given: $(cat seen)"
own=$(id_of_it)

# foreign WHAT: what another user can have made is left out
foreign() {
  rm -rf cache
  CK_JIT_HIPCC=$T/broken calls liba.so 1 >got
  grep -qF "PATH of the link names $T/open/more, which is ignored: " got || fail "$1: not said: $(cat got)"
  call
  [ ! -e ran ] || fail "$1: a program of another user's directory has run"
  lacks "$1" "^HIP_CLANG_PATH=\|^PATH=.*$T/open/more" seen
}
chown 65534 open/more
foreign 'of another user'
[ "$(id_of_it)" = "$own" ] || fail 'another build id, though the compiler is the same'
chown 0 open/more && chmod 777 open/more
foreign 'writable by everybody'
chmod 755 open/more && mv open/more there && ln -s ../there open/more && chown -h 65534 open/more
foreign 'a link of another user'
rm open/more
foreign 'what is not there, and anybody can make'
mv there open/more && chown 65534 open/more

# the job's word
rm -rf cache ran seen
PATH=$T/open/more:$PATH HIP_CLANG_PATH=$T/open/more right liba.so 1
[ -e ran ] && grep -qxF "HIP_CLANG_PATH=$T/open/more" seen || fail "what the job names as well is left out: $(cat seen)"

# what decides on the code is part of the build id
chown 0 open/more && chown 65534 libs
call
grep -qxF LIBRARY_PATH=/usr/lib seen || fail "$(grep LIBRARY_PATH seen)"
case $(id_of_it) in "$own") fail 'without a directory of libraries, and not apart' ;; esac
[ "$(id_of_it | cut -c 1-32)" = "$(echo "$own" | cut -c 1-32)" ] || fail 'another key'
chown 0 libs
call
[ "$(id_of_it)" = "$own" ] || fail 'not its own again'
rmdir libs
call
[ "$(id_of_it)" = "$own" ] && grep -qxF "LIBRARY_PATH=$T/libs:/usr/lib" seen || fail 'what is gone, and only we could make, is left out'
