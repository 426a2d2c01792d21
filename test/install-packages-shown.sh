#!/bin/sh
# test/install-packages says before it downloads anything what it installs, how much that is, and which packages are not free software;
# on a terminal a line says how far apt is. It asks apt for nothing that is installed.
# tier: check
. "${0%/*}/common.sh"
unset NO_COLOR
export TERM=xterm
mkdir "$T/bin" "$T/test"
cp -r "$here/install-packages" "$here/live" "$T/test/"
mkdir "$T/test/packages"
printf 'build    gcc  gcc\nbuild    libyaml-dev\ndemo     unfree-compiler   cc1\ncheck    gone\n' >"$T/test/packages/table"
program() {
  cat >"$T/bin/$1"
  chmod +x "$T/bin/$1"
}
echo 'echo 0' | sed '1i #!/bin/sh' | program id
program dpkg-query <<'END'
#!/bin/sh
case " $* " in *" gcc "*) echo installed ;; *) exit 1 ;; esac
END
program apt-get <<'END'
#!/bin/sh
echo "$*" >>"$T/apt.log"
case "$*" in
*--simulate*gone*) exit 100 ;;
*--simulate*) printf 'Inst libyaml-dev (1)\nInst libyaml-0 (1)\nInst unfree-compiler (2)\n' ;;
*--assume-no*) printf 'Need to get 12.3 MB/20 MB of archives.\nAfter this operation, 45.6 MB of additional disk space will be used.\n'; exit 1 ;;
*Status-Fd=3*)
  cp "$T/out" "$T/said-before"
  echo 'dlstatus:1:40.5:Retrieving' >&3
  while [ -e "$T/hold" ]; do sleep 0.1; done
  echo 'pmstatus:libyaml-dev:75.0:Unpacking' >&3
  sleep 0.7
  [ ! -e "$T/broken" ] || { echo 'E: no space left'; exit 100; } ;;
esac
END
program apt-cache <<'END'
#!/bin/sh
printf 'Package: libyaml-dev\nSection: libdevel\n\n'
case "$*" in *unfree-compiler*) printf 'Package: unfree-compiler\nSection: non-free/devel\n' ;; esac
END
export T PATH="$T/bin:$PATH"
install() {
  "$T/test/install-packages" check >"$T/out" 2>&1
}
install || fail "$(cat "$T/out")"
has 'what' 'install-packages: installing libyaml-dev unfree-compiler' "$T/out"
has 'how much' 'that is 3 packages, 12.3 MB to download, 45.6 MB on disk; not free software: unfree-compiler' "$T/out"
has 'it is said before' '12.3 MB to download' "$T/said-before"
has 'one that there is not' 'this release has no package gone' "$T/out"
lacks 'a pipe: an escape code' "$(printf '\033')" "$T/out"
lacks 'what is installed is asked for' 'install.* gcc' "$T/apt.log"

: >"$T/hold"
python3 "$here/unit/terminal.py" "$T/raw" 100 --remove "$T/hold" 'installing 3 packages: 40 % downloaded' "$T/test/install-packages" check || fail "$(cat -v "$T/raw")"
tr '\r' '\n' <"$T/raw" | grep -q '[-|/\] [0-9]*s installing 3 packages: 75 % installed, libyaml-dev' || fail "no line: $(cat -v "$T/raw")"

: >"$T/broken"
install && fail 'a failure of apt is none'
has 'why it failed' 'E: no space left' "$T/out"
