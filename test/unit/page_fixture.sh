# page_fixture.sh - the page of `ckjit trace view` looked at without a browser: source it behind common.sh.
#
#   paged FILE 'PYTHON'   FILE is well-formed HTML without anything from elsewhere and with two scripts, data and page.js; PYTHON holds for
#                         `data` (what is drawn), `text(i)`, `spans` (dicts), `tables` ({heading: [[cell]]}), `cards` ({what: (value, more)}).
# shellcheck shell=sh
need python3
cat >"$T/page.py" <<'END_OF_PYTHON'
import html.parser, json, sys
raw = open(sys.argv[1], "rb").read()
source = raw.decode("utf-8")
VOID = {"meta", "link", "input", "br"}
class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.tags, self.scripts, self.tables, self.cards, self.notes, self.title, self.sub = [], [], [], {}, {}, [], "", ""
    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags.append((tag, attrs))
        assert tag in {"html", "head", "meta", "link", "title", "style", "body", "header", "h1", "h2", "p", "main", "section", "div", "span", "b", "small",
            "input", "button", "ul", "noscript", "canvas", "table", "thead", "tbody", "tr", "th", "td", "code", "footer", "script"}, tag
        assert not any(name.startswith("on") for name in attrs), attrs
        for name in "src", "href":
            assert attrs.get(name, "data:,") == "data:,", attrs
        if tag in VOID: return
        self.open.append(tag)
        if tag == "script": self.scripts.append([attrs, ""])
        if tag == "tr" and self.tables: list(self.tables.values())[-1].append([])
        if tag in ("td", "th"): list(self.tables.values())[-1][-1].append("")
        if tag == "section" and attrs.get("class") == "table": self.heading = ""
        if tag == "div" and attrs.get("class", "").startswith("card"): self.card = {}
        if tag == "p": self.p = attrs.get("class")
        if tag == "p" and attrs.get("class") == "note": self.notes.append("")
    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()
        if tag == "h2" and "main" in self.open: self.tables.setdefault(self.heading, []) if hasattr(self, "heading") else None
        if tag == "div" and getattr(self, "card", None):
            self.cards[self.card["span"]] = (self.card.get("b", ""), self.card.get("small", ""))
            self.card = None
    def handle_data(self, data):
        at = self.open[-1] if self.open else ""
        if at == "script": self.scripts[-1][1] += data
        if at == "title": self.title += data
        if at == "p" and self.p == "sub": self.sub += data
        if at == "h2" and hasattr(self, "heading"): self.heading += data
        if "td" in self.open or "th" in self.open: list(self.tables.values())[-1][-1][-1] += data
        if getattr(self, "card", None) is not None: self.card[at] = self.card.get(at, "") + data
        if self.notes and "p" in self.open: self.notes[-1] += data
page = Page()
page.feed(source)
page.close()
assert page.open == [], page.open
assert [s[0] for s in page.scripts] == [{"type": "application/json", "id": "trace"}, {}], page.scripts
assert "http:" not in source and "https:" not in source and "@import" not in source and "url(" not in source
assert not any(c in script for s in page.scripts for script in s[1:] for c in "\u2028\u2029")
data = json.loads(page.scripts[0][1])
tables, cards, notes, title, sub = page.tables, page.cards, page.notes, page.title, page.sub
text = lambda i: data["texts"][i]
spans = [dict(lane=s[0], start=s[1], took=s[2], category=text(s[3]), name=text(s[4]), failed=s[5],
              args=dict(zip(map(text, s[6::2]), map(text, s[7::2])))) for s in data["spans"]]
rows = [(text(r[0]), r[1], r[2]) for r in data["rows"]]
assert all(0 <= s["start"] <= s["start"] + s["took"] <= data["length"] for s in spans)
# no two spans lie on one another
lanes = {}
for s in sorted(spans, key=lambda s: s["start"]):
    assert s["start"] >= lanes.get(s["lane"], 0), (s, lanes[s["lane"]])
    lanes[s["lane"]] = s["start"] + s["took"]
assert all(any(r[1] <= lane < r[1] + r[2] for r in rows) for lane in lanes)
exec(sys.argv[2])
END_OF_PYTHON

paged() {
  python3 "$T/page.py" "$1" "$2" >"$T/paged" 2>&1 || {
    tail -n 5 "$T/paged" | cut -c 1-2000 >&2
    fail "$1: a page is not as it must be"
  }
}
