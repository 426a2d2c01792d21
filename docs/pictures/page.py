#!/usr/bin/env python3
"""page.py - the pages that make.sh takes pictures of, as HTML on standard output

    page.py readme FILE          a Markdown file as a forge shows it; pictures are found beside FILE
    page.py terminal COMMAND...  COMMAND typed at a terminal of 100 columns, with what it prints,
                                 colours included; `sh -c` runs it in the current directory

Needs python3-markdown for the first.
"""
import html
import os
import pty
import re
import sys

STYLE = """<meta charset="utf-8"><style>
body { margin: 0; background: #fff; color: #1f2328; font: 16px/1.5 sans-serif }
main { max-width: 830px; margin: 0 auto; padding: 24px }
h1, h2 { border-bottom: 1px solid #d1d9e0; padding-bottom: 6px }
pre, code { background: #f2f4f6; border-radius: 6px; font: 13.6px/1.45 monospace }
code { padding: 2px 5px } pre { padding: 14px; overflow: auto } pre code { padding: 0 }
table { border-collapse: collapse } td, th { border: 1px solid #d1d9e0; padding: 6px 12px }
a { color: #0969da; text-decoration: none }
.terminal { background: #10141a; color: #d7dde4; padding: 18px; margin: 0; border-radius: 0 }
</style>
"""
# The eight colours of a terminal, on a dark ground.
COLOURS = ["#5c6773", "#ff7b72", "#7ee787", "#f2cc60", "#79c0ff", "#d2a8ff", "#76e3ea", "#d7dde4"]


def readme(file):
    import markdown

    with open(file, encoding="utf-8") as f:
        body = markdown.markdown(f.read(), extensions=["tables", "fenced_code"])
    base = os.path.dirname(os.path.abspath(file))
    return f'{STYLE}<base href="file://{base}/"><main>{body}</main>'


def typed(command):
    """What COMMAND prints at a terminal."""
    pid, terminal_fd = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm-256color", COLUMNS="100", LINES="40")
        os.execvp("sh", ["sh", "-c", f"stty cols 100 rows 40; {command}"])
    chunks = []
    while True:
        try:
            chunk = os.read(terminal_fd, 65536)
        except OSError:  # Linux: the command has closed the terminal
            break
        if not chunk:
            break
        chunks.append(chunk)
    os.close(terminal_fd)
    status = os.waitpid(pid, 0)[1]
    text = b"".join(chunks).decode(errors="replace").replace("\r\n", "\n")
    if status:
        sys.exit(f"page.py: {command}: {os.waitstatus_to_exitcode(status)}, expected 0: {text}")
    return text


def last_of_rewritten(line):
    """What is left on a terminal of a LINE that was written several times."""
    parts = [
        part
        for part in re.split(r"\r|\x1b\[2K", line)
        if re.sub(r"\x1b\[[\d;]*[A-Za-z]", "", part)
    ]
    return parts[-1] if parts else ""


def coloured(line):
    result, open_spans = [], 0
    for part in re.split(r"(\x1b\[[\d;]*[A-Za-z])", line):
        codes = re.fullmatch(r"\x1b\[([\d;]*)m", part)
        if codes:
            for code in map(int, filter(None, codes[1].split(";") or ["0"])):
                colour = COLOURS[code % 10] if code // 10 in (3, 9) and code % 10 < 8 else None
                if code == 0:
                    result.append("</span>" * open_spans)
                    open_spans = 0
                elif colour or code == 1:
                    style = f"color:{colour}" if colour else "font-weight:bold"
                    result.append(f'<span style="{style}">')
                    open_spans += 1
        elif not part.startswith("\x1b"):
            result.append(html.escape(part))
    return "".join(result) + "</span>" * open_spans


def terminal(commands):
    lines = []
    for command in commands:
        lines.append(f'<b>$ {html.escape(command)}</b>')
        lines += [coloured(last_of_rewritten(line)) for line in typed(command).splitlines()]
    return f'{STYLE}<pre class="terminal">' + "\n".join(lines) + "</pre>"


if len(sys.argv) < 3 or sys.argv[1] not in ("readme", "terminal"):
    sys.exit(__doc__)
print(readme(sys.argv[2]) if sys.argv[1] == "readme" else terminal(sys.argv[2:]))
