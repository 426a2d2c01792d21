#!/bin/sh
# A toolchain that was turned to another version since the link is found before a launcher is called: an object that the other one makes is kept by the launcher
# under words of its own. When the toolchain is turned back, or on a machine where it never was another, the launcher does not return it.
# tier: check
# seconds: 4
. "${0%/*}/common.sh"
. "$here/unit/changes_fixture.sh"

# a launcher that goes by the words alone, but for the names of what is made
mkdir store
cat >blind <<END
#!/bin/bash
words=() out='' dep=''
for ((i = 1; i <= \$#; i++)); do
  case \${!i} in
  -o) i=\$((i + 1)) && out=\${!i} ;;
  -MF) i=\$((i + 1)) && dep=\${!i} ;;
  *) words+=("\${!i}") ;;
  esac
done
kept=$T/store/\$(printf '%s\n' "\${words[@]}" | sha256sum | cut -c 1-32)
if [ ! -e "\$kept.o" ]; then
  "\$@" || exit
  cp "\$dep" "\$kept.d" && cp "\$out" "\$kept.o" && echo miss >>"$T/launched"
else
  cp "\$kept.o" "\$out" && cp "\$kept.d" "\$dep" && echo hit >>"$T/launched"
fi
END
chmod +x blind

# answers WANTED HOW WHAT: a first call, in an empty cache, and what the launcher did
answers() {
  rm -rf cache launched
  called
  row=$3
  is 'result' "$1" "$said"
  is 'the launcher' "$2" "$(cat launched)"
}
restore
called
own=$(ids)
export CK_JIT_COMPILER_LAUNCHER="$T/blind"
cp -a v1 v2 && program v2/llvm/clang 1
ln -sfn v2 tc
answers 101 miss 'turned'
[ "$(ids)" != "$own" ] || fail "the turned toolchain's kernel has the library's own build id"
ln -sfn v1 tc
answers 100 miss 'turned back'
is 'build id' "$own" "$(ids)"
answers 100 hit 'turned back, again'
ln -sfn v2 tc
answers 101 hit 'turned, again'
