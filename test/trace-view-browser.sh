#!/bin/sh
# The page of `ckjit trace view` in a browser: the script draws each span, keys and wheel move and zoom, a click and a search find a kernel, nothing is
# fetched, and no error is said; also with names that would be scripts, in the dark.
# tier: all
# seconds: 25
. "${0%/*}/common.sh"
need chromium python3
cd "$T"
# browse PAGE OPTION…: the page as the browser has it after its scripts, in `dom`; what it says, in `said`
browse() {
  page=$1
  shift
  HOME=$T timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --user-data-dir="$T/profile" --window-size=1200,900 \
    --enable-logging=stderr --virtual-time-budget=5000 "$@" --dump-dom "file://$T/$page" >dom 2>said || fail "chromium: $(tail -n 5 said)"
  lacks "$page: an error of the script" 'CONSOLE.*(rror|efused|iolat)' said -E
  grep -q 'id="view"' dom || fail "$page: no page: $(head -c 300 dom)"
}
is_drawn() {
  grep -qE "id=\"view\"[^>]* data-bars=\"$1\" data-rows=\"$2\"" dom || fail "$page: not $1 bars in $2 rows: $(grep -o '<div id="view"[^>]*>' dom)"
}
python3 - <<'PY'
import json
names = ["</script><script>document.title = 'broken'; console.error('broken')</script>", "<img src=x onerror=\"console.error('broken')\">", "a\u2028b", "kernel_of_a_long_name_" * 9]
with open("trace.json", "w") as f:
    f.write('[{"ph":"M","name":"process_name","cat":"__metadata","pid":1,"tid":1,"args":{"name":"job"}}\n')
    for i in range(40):
        n = names[i] if i < len(names) else f"kernel_{i}"
        f.write("," + json.dumps(dict(ph="X", name=n, cat="first call", pid=1 + i % 2, tid=1, ts=1000 * i, dur=900, args=dict(stem=n, status="0"))) + "\n")
PY
"$B/bin/ckjit" trace view trace.json >/dev/null || fail 'no page'
browse trace.html
is_drawn 40 2
lacks 'a script of a name ran' '<title>broken' dom
grep -q '<li><i style="background: [^"]*"></i>first call</li>' dom || fail "no legend: $(grep -o 'id="legend".*' dom | head -c 300)"
grep -q '<b>40</b><small>40 hits, 0 misses' dom || fail 'no totals'

# A user: a script behind the page's own does what hands do, and writes down what it sees.
cat >user.js <<'JS'
window.requestAnimationFrame = (draw) => setTimeout(draw, 1); // a browser without a screen draws no frames
const view = document.getElementById('view'), canvas = document.getElementById('canvas'), seen = [];
const key = (name) => view.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true }));
const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
const see = async (what) => { await frame(); seen.push(what + '=' + view.dataset.bars); };
const colours = () => new Set(new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size;
const pointer = (type, x, y) => canvas.dispatchEvent(new PointerEvent(type, { clientX: canvas.getBoundingClientRect().left + x, clientY: canvas.getBoundingClientRect().top + y, pointerId: 1, bubbles: true }));
canvas.setPointerCapture = () => {};
(async () => {
  await see('all');
  seen.push('painted=' + (colours() > 8));
  for (let i = 0; i < 6; i++) key('+');
  await see('near');
  for (let i = 0; i < 40; i++) key('ArrowLeft');
  await see('left');
  for (let i = 0; i < 60; i++) key('ArrowRight');
  await see('right');
  key('0');
  await see('again');
  canvas.dispatchEvent(new WheelEvent('wheel', { deltaY: -500, ctrlKey: true, clientX: canvas.getBoundingClientRect().left + 400, bubbles: true, cancelable: true }));
  await see('wheel');
  document.getElementById('all').click();
  await see('button');
  pointer('pointermove', canvas.clientWidth * 0.3, 42);
  seen.push('tip=' + !document.getElementById('tip').hidden);
  document.getElementById('find').value = 'KERNEL_17';
  document.getElementById('find').dispatchEvent(new Event('input'));
  key('n');
  await frame();
  seen.push('found=' + document.querySelector('#detail strong').textContent);
  document.body.dataset.seen = seen.join(' ');
})();
JS
python3 - <<'PY'
page = open("trace.html").read()
at = page.rindex("</body>")
open("used.html", "w").write(page[:at] + "<script>" + open("user.js").read() + "</script>" + page[at:])
PY
browse used.html
seen=$(sed -n 's/.*data-seen="\([^"]*\)".*/\1/p' dom)
case $seen in
'all=40 painted=true near='*' left='*' right='*' again=40 wheel='*' button=40 tip=true found=kernel_17') ;;
*) fail "a user sees: '$seen'" ;;
esac
for what in near left right wheel; do
  n=$(echo "$seen" | sed "s/.*$what=\([0-9]*\).*/\1/")
  [ "$n" -gt 0 ] && [ "$n" -lt 30 ] || fail "$what: $n bars: $seen"
done

# in the dark
browse trace.html --blink-settings=preferredColorScheme=0
is_drawn 40 2
