#!/usr/bin/env python3
"""zsh.py DIRECTORY <LINES: what zsh offers at the end of each line, with the functions of DIRECTORY; an answer a line, its words sorted.

Completion needs a line editor, and that a terminal: zsh runs on one, and a key completes what stands in a file. What is offered is
taken where it is handed over, in compadd.
"""
import os
import pty
import select
import sys
import tempfile
import time

RC = r"""
PROMPT='RDY>'
setopt no_beep
fpath=({functions} $fpath)
autoload -Uz compinit
compinit -u -D
compadd() {{
  local -a hits
  local word
  integer asks=0
  for word in "$@"; do
    [[ $word = (-|--) ]] && break
    [[ $word = -[a-zA-Z12]#[OAD] ]] && asks=1
  done
  if ((asks)); then
    builtin compadd "$@"
    return
  fi
  builtin compadd -A hits "$@"
  (($#hits)) && print -rl -- $hits >>{out}
  builtin compadd "$@"
}}
ask() {{
  BUFFER=$(<{line})
  BUFFER=${{BUFFER%_}} CURSOR=100000
  zle complete-word
  BUFFER=
  print -r -- END >>{out}
}}
zle -N ask
bindkey '^X' ask
"""


def until(fd, ended, what):
    """Read what the terminal shows until ended(text)."""
    text, limit = b"", time.monotonic() + 60
    while not ended(text):
        if time.monotonic() > limit:
            sys.exit(f"zsh.py: {what}: {text.decode(errors='replace')}")
        if select.select([fd], [], [], 0.02)[0]:
            try:
                text += os.read(fd, 65536)
            except OSError:
                sys.exit(f"zsh.py: {what}: zsh has ended: {text.decode(errors='replace')}")


def offered(out):
    with open(out, encoding="utf-8") as f:
        return f.read().split("\n")


def main():
    with tempfile.TemporaryDirectory() as home:
        out, line = home + "/out", home + "/line"
        with open(home + "/.zshrc", "w", encoding="utf-8") as f:
            f.write(RC.format(functions=sys.argv[1], out=out, line=line))
        pid, fd = pty.fork()
        if pid == 0:
            os.execvpe("zsh", ["zsh", "-i"], dict(os.environ, ZDOTDIR=home, TERM="dumb"))
        until(fd, lambda text: b"RDY>" in text, "no prompt")
        for asked in sys.stdin.read().splitlines():
            with open(line, "w", encoding="utf-8") as f:
                f.write(asked + "_")  # or the shell would take the blanks off its end
            open(out, "w", encoding="utf-8").close()
            os.write(fd, b"\x18")
            until(fd, lambda text: "END" in offered(out), asked)
            print(" ".join(sorted({word for word in offered(out) if word not in ("", "END")})))
        os.write(fd, b"\x04")
        os.close(fd)
        os.waitpid(pid, 0)


main()
