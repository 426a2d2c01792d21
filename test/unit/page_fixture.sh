# page_fixture.sh - the page of `ckjit trace view` looked at without a browser: source it behind common.sh.
#
#   paged FILE 'PYTHON'   FILE is well-formed HTML without a script or anything from elsewhere; PYTHON holds for
#                         `tables` ({heading: [[cell]]}), `totals` ({what: (value, more)}), `notes`, `title`, `sub`.
# shellcheck shell=sh
need python3
cat >"$T/page.py" <<'END_OF_PYTHON'
import html.parser, json, sys
source = open(sys.argv[1], "rb").read().decode("utf-8")
class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.tables, self.notes, self.title, self.sub = [], {}, [], "", ""
    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        assert tag in {"html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "table", "tr", "th", "td"}, tag
        assert not attrs.keys() - {"lang", "charset", "http-equiv", "content", "name", "scope", "class"}, attrs
        if tag == "meta": return
        self.open.append(tag)
        if tag == "h2": self.heading = ""
        if tag == "table": self.tables[self.heading] = []
        if tag == "tr": self.tables[self.heading].append([])
        if tag in ("td", "th"): self.tables[self.heading][-1].append("")
        if tag == "p": self.p = attrs.get("class")
        if tag == "p" and self.p == "note": self.notes.append("")
    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()
    def handle_data(self, data):
        at = self.open[-1] if self.open else ""
        if at == "title": self.title += data
        if at == "p" and self.p == "sub": self.sub += data
        if at == "h2": self.heading += data
        if at in ("td", "th"): self.tables[self.heading][-1][-1] += data
        if at == "p" and self.p == "note": self.notes[-1] += data
page = Page()
page.feed(source)
page.close()
assert page.open == [] and source.endswith("</html>\n"), page.open
assert "http:" not in source and "https:" not in source and "@import" not in source and "url(" not in source
tables, notes, title, sub = page.tables, page.notes, page.title, page.sub
totals = {row[0]: (row[1], row[2]) for row in tables["Totals"][1:]}
exec(sys.argv[2])
END_OF_PYTHON

paged() {
  python3 "$T/page.py" "$1" "$2" >"$T/paged" 2>&1 || {
    tail -n 5 "$T/paged" | cut -c 1-2000 >&2
    fail "$1: a page is not as it must be"
  }
}
