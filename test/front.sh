#!/bin/sh
# ckjit is one name for the programs: it becomes the one beside it that has the command, with all words as they are. Pages, messages and
# statuses are that one's; what it does not know it says, with what was probably meant.
# tier: check
. "${0%/*}/common.sh"
cd "$T"
ckjit=$B/bin/ckjit
"$ckjit" --help >help || fail 'ckjit --help'
[ "$(wc -l <help)" -lt 50 ] || fail "ckjit --help: $(wc -l <help) lines"
"$ckjit" help | cmp -s help - || fail 'ckjit help'
[ "$("$ckjit" --version)" = "ckjit $("$B/bin/ckjit-build" --version | cut -d' ' -f2)" ] || fail "$("$ckjit" --version)"

# each command of the page is one of a program, and has that one's page
page() {
  name=$1
  shift
  "$ckjit" help "$name" >a || fail "ckjit help $name"
  "$ckjit" "$name" --help >b || fail "ckjit $name --help"
  "$ckjit" --help "$name" | cmp -s a - || fail "ckjit --help $name"
  "$@" --help | cmp -s a - || fail "ckjit help $name is not $* --help"
  cmp -s a b || fail "ckjit $name --help"
  grep -qE -- "Cm .*\<$name\>" "$here/../docs/man/ckjit.1" || fail "ckjit.1 has no $name"
}
sed -n 's/^  \([a-z-]*\)  .*/\1/p' help >commands
grep -qx home commands && grep -qx unpack commands || fail "the page has no commands: $(cat help)"
for program in ckjit-build ckjit-prebuild; do
  "$B/bin/$program" --help | sed -n 's/^  \([a-z-]*\)  .*/\1/p' | grep -v "^$program$" >"of.$program"
  grep -qx -e home -e list "of.$program" || fail "$program --help has no commands: $(cat "of.$program")"
  # and each command of a program is on the page
  missing=$(grep -vxFf commands "of.$program" || :)
  [ -z "$missing" ] || fail "ckjit --help lacks commands of $program: $missing"
done
while read -r name; do
  [ "$name" = help ] && continue
  program="ckjit-prebuild"
  ! grep -qx "$name" of.ckjit-build || program="ckjit-build"
  page "$name" "$B/bin/$program" "$name"
done <commands

# words and statuses go through as they are, wherever it was called from and by whichever link
mkdir 'a b'
ln -s "$ckjit" 'a b/ckjit'
status=0
'a b/ckjit' prebuild list --manifest 'no
such' >out 2>err || status=$?
[ "$status" = 1 ] && grep -q '^ckjit: error: .*/no$' err || fail "status $status: $(cat err)"
status=0
"$ckjit" --color=always home --dri x 2>err || status=$?
[ "$status" = 2 ] && grep -q "$(printf '\033').*unknown option '--dri'; did you mean '--dir'" err || fail "status $status: $(cat err)"

# refused TEXT WORD…: an error of its own, of the command line
refused() {
  text=$1 status=0
  shift
  "$ckjit" "$@" >out 2>err || status=$?
  [ "$status" = 2 ] && grep -qF -e "ckjit: error: $text" err && [ ! -s out ] || fail "$*: status $status: $(cat err)"
}
# without a command: the help, and a status that says that nothing was done
status=0
"$ckjit" >out 2>err || status=$?
[ "$status" = 2 ] && cmp -s out help || fail "ckjit alone: status $status"
[ "$("$ckjit" version)" = "$("$ckjit" --version)" ] || fail 'ckjit version'
refused "unknown command 'unpak': expected" unpak list
grep -q "did you mean 'unpack'? See ckjit --help" err || fail "$(cat err)"
refused "unknown command or topic 'zyxwvu'" help zyxwvu
refused "unknown command or topic 'cache-not-trustd'" help cache-not-trustd
grep -q "did you mean 'cache-not-trusted'? See ckjit --help" err || fail "$(cat err)"
"$ckjit" help environment >out || fail 'ckjit help environment'
has 'ckjit help environment' CK_JIT_CACHE_DIR out
"$ckjit" help cache-not-trusted >out || fail 'ckjit help cache-not-trusted' # test/messages-topics.sh has all
refused "unknown option '--manifest'" --manifest x
refused "help: unexpected argument 'more'; see ckjit --help" help cache more
refused "--help: unexpected argument 'more'; see ckjit --help" --help topics more
refused "--version: unexpected argument 'more'; see ckjit --help" --version more
# the long names without their prefix
"$ckjit" prebuild list --help >a && "$ckjit" list --help | cmp -s a - || fail 'ckjit prebuild list'
"$ckjit" build full --help >a && "$ckjit" full --help | cmp -s a - || fail 'ckjit build full'
"$ckjit" help build full >a && "$B/bin/ckjit-build" full --help | cmp -s a - || fail 'ckjit help build full'
refused "help: unexpected argument 'more'; see ckjit --help" help build full more

# taken out of its installation
cp "$ckjit" 'a b/alone'
status=0
'a b/alone' status 2>err || status=$?
[ "$status" = 1 ] && grep -q "^ckjit: error: status: there is no ckjit-prebuild beside this program, in $T/a b" err || fail "status $status: $(cat err)"
