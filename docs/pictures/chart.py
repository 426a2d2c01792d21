#!/usr/bin/env python3
"""chart.py [DIR] - write chart-light.svg and chart-dark.svg, the chart of the README, into DIR

The figures are those of docs/performance.md and docs/units-measured.md, which say how each was
measured. Each bar is a share of the regular compiler's time for the same row.
"""
import os
import sys

# group, row, the regular compiler's seconds, ckjit's seconds, unit of both
ROWS = [
    ("Build", "causal-conv1d, 9 CUDA architectures", 3479, 134, "CPU s"),
    ("Build", "14 units of ComposableKernel, HIP", 1720, 70.7, "CPU s"),
    ("First call", "flash-attention forward, CUDA", 114, 34, "s"),
    ("First call", "ComposableKernel backward, HIP", 11.6, 4.6, "s"),
]
THEMES = {
    "light": {"text": "#1f2328", "muted": "#59636e", "regular": "#c4ccd4", "ckjit": "#1a7f37"},
    "dark": {"text": "#f0f6fc", "muted": "#9198a1", "regular": "#4d5560", "ckjit": "#3fb950"},
}
WIDTH, LEFT, BAR, ROW, HEAD = 720, 262, 330, 46, 30


def seconds(value, unit):
    text = f"{value:,.0f}" if value >= 20 else f"{value:.1f}"
    return f"{text} {unit}"


def chart(theme):
    out, y, group = [], 30, None

    def text(x, baseline, content, fill, size=13, weight="normal", anchor="start"):
        out.append(
            f'<text x="{x}" y="{baseline}" fill="{theme[fill]}" font-size="{size}"'
            f' font-weight="{weight}" text-anchor="{anchor}">{content}</text>'
        )

    def bar(top, share, fill, label):
        width = max(2, round(BAR * share))
        out.append(
            f'<rect x="{LEFT}" y="{top}" width="{width}" height="14" rx="2" fill="{theme[fill]}"/>'
        )
        text(LEFT + width + 7, top + 12, label, "text" if fill == "ckjit" else "muted", 12)

    for name, key, x in (("regular compiler", "regular", LEFT), ("ckjit", "ckjit", LEFT + 140)):
        out.append(f'<rect x="{x}" y="8" width="12" height="12" rx="2" fill="{theme[key]}"/>')
        text(x + 18, 19, name, "text")
    for of, row, regular, ours, unit in ROWS:
        if of != group:
            y += HEAD - 8
            text(12, y, of, "text", 14, "bold")
            y += 8
            group = of
        text(12, y + 21, row, "text")
        bar(y, 1, "regular", seconds(regular, unit))
        bar(y + 17, ours / regular, "ckjit", f"{seconds(ours, unit)} ({ours / regular:.2f})")
        y += ROW
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y}"'
        f' viewBox="0 0 {WIDTH} {y}"'
        ' font-family="-apple-system, Segoe UI, Helvetica, Arial, sans-serif" role="img">'
        "<title>Build time and first call, regular compiler against ckjit</title>"
    )
    return "\n".join([head, *out, "</svg>", ""])


def main():
    directory = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    for name, theme in THEMES.items():
        with open(os.path.join(directory, f"chart-{name}.svg"), "w", encoding="utf-8") as out:
            out.write(chart(theme))


main()
