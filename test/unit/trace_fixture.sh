# trace_fixture.sh - traces looked at as a viewer does: source it behind common.sh.
#
#   traced FILE 'PYTHON'   FILE with a ] behind it is JSON; each line is one event; spans have sensible times and, of one track, either
#                          lie within one another or apart. Then the statement PYTHON holds for `events`, and `spans`, those of
#                          phase X; of(category) are those of a category; names is {pid: its name}.
# shellcheck shell=sh
need python3
cat >"$T/trace.py" <<'END'
import collections, json, sys, time
text = open(sys.argv[1], encoding="utf-8").read()
events = json.loads(text + "]")
lines = text.splitlines()
assert len(lines) == len(events), f"{len(lines)} lines, {len(events)} events"
assert lines[0].startswith("[{") and all(l.startswith(",{") for l in lines[1:]) and text.endswith("}\n")
assert max(len(l.encode()) for l in lines) < 4096
now = time.monotonic() * 1e6
tracks = collections.defaultdict(list)
for e in events:
    assert e["ph"] in ("X", "M", "s", "f", "i") and type(e["pid"]) is int and type(e["tid"]) is int, e
    if e["ph"] == "X":
        assert type(e["ts"]) is int and type(e["dur"]) is int and e["dur"] >= 0 and 0 < e["ts"] <= e["ts"] + e["dur"] <= now, e
        tracks[e["pid"], e["tid"]].append(e)
for track in tracks.values():
    track.sort(key=lambda e: (e["ts"], -e["dur"]))
    open_ = []
    for e in track:
        while open_ and open_[-1]["ts"] + open_[-1]["dur"] <= e["ts"]:
            open_.pop()
        assert not open_ or e["ts"] + e["dur"] <= open_[-1]["ts"] + open_[-1]["dur"], ("neither within nor apart", open_[-1], e)
        open_.append(e)
spans = [e for e in events if e["ph"] == "X"]
names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
named = {(e["pid"], e["tid"]) for e in events if e["name"] == "thread_name"}
assert all(e["pid"] in names and (e["pid"], e["tid"]) in named for e in spans), "a process or a track without a name"
starts = {e["id"]: e for e in events if e["ph"] == "s"}
ends = {e["id"]: e for e in events if e["ph"] == "f"}
of = lambda category: [e for e in spans if e["cat"] == category]
within = lambda a, b: b["ts"] <= a["ts"] and a["ts"] + a["dur"] <= b["ts"] + b["dur"]
exec(sys.argv[2])
END

traced() {
  python3 "$T/trace.py" "$1" "$2" >"$T/traced" 2>&1 || {
    tail -n 5 "$T/traced" | cut -c 1-2000 >&2
    fail "$1: a trace is not as it must be"
  }
}
