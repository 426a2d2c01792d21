// page.js - draws the timeline of `ckjit trace view` from the JSON in the page, and lets it be moved and zoomed.
//
// The data (prebuild/trace/page.c): texts; spans as [lane, start, took, category, name, failed, arguments…] with numbers of texts, times
// in microseconds; rows as [label, lane, lanes]; length. Only what is visible is drawn, on a canvas of the size of the window: a trace of a large build
// has a hundred thousand spans. All texts reach the page as text, never as HTML. When it has drawn, #view says in data-bars how many spans are visible.
'use strict';
(() => {
  const data = JSON.parse(document.getElementById('trace').textContent);
  const by = (id) => document.getElementById(id);
  const view = by('view'), canvas = by('canvas'), tip = by('tip'), detail = by('detail'), find = by('find');
  const LANE = 20, GAP = 10, AXIS = 24, FONT = '12px system-ui, sans-serif';
  const LABEL = Math.min(170, Math.max(90, window.innerWidth / 7));
  const text = (i) => data.texts[i];
  const spans = data.spans.map((s) => ({
    lane: s[0], start: s[1], took: s[2], category: text(s[3]), name: text(s[4]), failed: s[5] === 1,
    args: s.slice(6).reduce((all, word, i) => { if (i % 2) all[all.length - 1].push(text(word)); else all.push([text(word)]); return all; }, []),
  }));
  const inTime = spans.map((s, i) => i).sort((a, b) => spans[a].start - spans[b].start || spans[a].lane - spans[b].lane);
  const order = new Map(inTime.map((span, place) => [span, place]));

  // ---- colours ----
  const colourOf = {
    'first call': 'call', 'compile': 'compile', 'wait': 'wait', 'step': 'step', 'inputs': 'inputs', 'place': 'place', 'load': 'load', 'look up': 'lookup',
    'job': 'job', 'build': 'job', 'build step': 'job', 'record': 'place', 'host compile': 'compile', 'link': 'load', 'link step': 'step',
  };
  const colours = {};
  const readColours = () => {
    const style = getComputedStyle(document.documentElement);
    for (const name of ['ground', 'line', 'text', 'soft', 'accent', 'bad', 'track', 'grid', 'bar-text']) colours[name] = style.getPropertyValue('--' + name).trim();
    for (const name of new Set([...Object.values(colourOf), 'other'])) colours['c-' + name] = style.getPropertyValue('--c-' + name).trim();
  };
  const colour = (s) => colours['c-' + (colourOf[s.category] || 'other')];

  // ---- where things are ----
  const tops = []; // of each lane
  let height = AXIS;
  const rows = data.rows.sort((a, b) => a[1] - b[1]).map(([label, lane, lanes]) => {
    const top = height + GAP / 2;
    for (let i = 0; i < lanes; i++) tops[lane + i] = top + i * LANE;
    height += lanes * LANE + GAP;
    return { label: text(label), top, bottom: height - GAP / 2 };
  });
  const length = Math.max(data.length, 1);
  let from = 0, shown = length; // what part of the time is visible
  let width = 0, hovered = -1, selected = -1, wanted = '', asked = false;
  const x = (time) => LABEL + ((time - from) / shown) * (width - LABEL);
  const timeAt = (px) => from + ((px - LABEL) / (width - LABEL)) * shown;
  const clamp = () => {
    shown = Math.min(length, Math.max(shown, Math.min(length, 20)));
    from = Math.min(length - shown, Math.max(0, from));
  };

  const time = (us, step) => {
    const s = us / 1e6;
    if (step !== undefined && us === 0) return '0';
    if (step !== undefined ? step >= 1e6 : us >= 1e7) {
      const places = step !== undefined ? 0 : 1;
      if (s < 120) return s.toFixed(places) + ' s';
      const whole = Math.round(s), two = (n) => n.toString().padStart(2, '0'), hours = Math.floor(whole / 3600);
      return (hours ? hours + ' h ' + two(Math.floor(whole % 3600 / 60)) : Math.floor(whole / 60)) + ' min ' + two(whole % 60) + ' s';
    }
    if (us >= 1e6) return s.toFixed(step !== undefined ? Math.min(6, Math.max(1, 6 - Math.floor(Math.log10(step)))) : 3) + ' s';
    if (us >= 1e3) return (us / 1e3).toFixed(step !== undefined && step >= 1e3 ? 0 : 1) + ' ms';
    return Math.round(us) + ' µs';
  };

  // ---- drawing ----
  // Names of kernels begin alike and differ at their ends: the middle goes.
  const cut = (g, words, room) => {
    if (g.measureText(words).width <= room) return words;
    const short = (n) => words.slice(0, n >> 1) + '…' + words.slice(words.length - (n - (n >> 1)));
    let low = 0, high = words.length;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (g.measureText(short(middle)).width <= room) low = middle; else high = middle - 1;
    }
    return low > 7 ? short(low) : '';
  };
  const matches = (s) => !wanted || s.name.toLowerCase().includes(wanted) || s.category.includes(wanted) || s.args.some(([, value]) => value.toLowerCase().includes(wanted));

  const drawGrid = (g, high) => {
    const about = (shown / (width - LABEL)) * 110, power = 10 ** Math.floor(Math.log10(Math.max(about, 1)));
    const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= about) || 10 * power;
    g.font = FONT;
    for (let at = Math.ceil(from / step) * step; at <= from + shown; at += step) {
      const px = Math.round(x(at)) + 0.5;
      g.fillStyle = colours.grid;
      g.fillRect(px, AXIS, 1, high);
      g.fillStyle = colours.soft;
      if (px + 50 < width) g.fillText(time(at, step), px + 4, 16);
    }
  };
  const drawSpan = (g, s, i, scroll, edge) => {
    const left = Math.max(x(s.start), LABEL), right = Math.min(x(s.start + s.took), width), wide = Math.max(right - left, 1.5);
    const top = tops[s.lane] - scroll;
    // in one pixel there may be thousands: one of each category is enough
    const key = s.lane * 65536 + Math.round(left);
    if (wide < 2 && edge.get(key) === s.category && i !== hovered && i !== selected) return;
    edge.set(key, s.category);
    g.globalAlpha = matches(s) ? 1 : 0.18;
    g.fillStyle = colour(s);
    g.fillRect(left, top + 1, wide > 3 ? wide - 0.5 : wide, LANE - 2);
    if (s.failed) {
      g.fillStyle = colours.bad;
      g.fillRect(left, top + LANE - 4, wide, 3);
    }
    if (wide > 34) {
      g.fillStyle = colours['bar-text'];
      g.fillText(cut(g, s.name === s.category || s.name === '' ? s.category : s.name, wide - 10), left + 5, top + 14);
    }
    g.globalAlpha = 1;
    if (i === hovered || i === selected) {
      g.strokeStyle = i === selected ? colours.accent : colours.text;
      g.lineWidth = i === selected ? 2 : 1;
      g.strokeRect(left, top + 1, wide, LANE - 2);
    }
  };
  const draw = () => {
    asked = false;
    const scale = window.devicePixelRatio || 1;
    width = view.clientWidth;
    const high = Math.min(height, Math.max(view.clientHeight, 60)), scroll = view.scrollTop;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(high * scale);
    canvas.style.width = width + 'px';
    canvas.style.height = high + 'px';
    by('height').style.height = Math.max(height - high, 0) + 'px';
    const g = canvas.getContext('2d');
    g.setTransform(scale, 0, 0, scale, 0, 0);
    g.clearRect(0, 0, width, high);
    for (const row of rows) {
      if (row.bottom - scroll < AXIS || row.top - scroll > high) continue;
      g.fillStyle = colours.line;
      g.fillRect(0, row.bottom - scroll + GAP / 2, width, 1);
    }
    g.save();
    g.beginPath();
    g.rect(LABEL, AXIS, width - LABEL, high - AXIS);
    g.clip();
    g.font = FONT;
    let bars = 0;
    const edge = new Map();
    drawGrid(g, high);
    spans.forEach((s, i) => {
      const top = tops[s.lane] - scroll;
      if (s.start > from + shown || s.start + s.took < from) return;
      bars++;
      if (top <= high && top + LANE >= AXIS) drawSpan(g, s, i, scroll, edge);
    });
    g.restore();
    g.fillStyle = colours.track;
    g.fillRect(0, 0, width, AXIS);
    drawGrid(g, 0);
    g.fillStyle = colours.track;
    g.fillRect(0, 0, LABEL - 4, AXIS);
    g.save();
    g.beginPath();
    g.rect(0, AXIS, LABEL, high - AXIS);
    g.clip();
    g.fillStyle = colours.text;
    g.font = FONT;
    for (const row of rows) if (row.bottom - scroll > AXIS && row.top - scroll < high) g.fillText(cut(g, row.label, LABEL - 16), 10, Math.max(row.top - scroll, AXIS) + 14);
    g.restore();
    g.fillStyle = colours.line;
    g.fillRect(LABEL - 3, 0, 1, high);
    g.fillRect(0, AXIS - 1, width, 1);
    view.dataset.bars = bars;
    view.dataset.rows = rows.length;
  };
  const redraw = () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(draw);
  };

  // ---- what a span is ----
  const describe = (i) => {
    const s = spans[i], box = document.createElement('div'), title = document.createElement('strong'), list = document.createElement('dl');
    const row = (name, value) => {
      const dt = document.createElement('dt'), dd = document.createElement('dd');
      dt.textContent = name;
      dd.textContent = value;
      list.append(dt, dd);
    };
    title.textContent = s.name || s.category;
    row('what', s.category);
    row('took', time(s.took));
    row('from', time(s.start, 1e3) + ' on');
    for (const [key, value] of s.args) if (!(key === 'stem' && value === s.name)) row(key.replace(/_/g, ' '), value);
    box.append(title, list);
    return box;
  };
  const select = (i) => {
    selected = i;
    detail.replaceChildren(...(i < 0 ? [] : [describe(i)]));
    redraw();
  };
  const spanAt = (px, py) => {
    const at = timeAt(px), slack = (shown / (width - LABEL)) * 3, y = py + view.scrollTop;
    let best = -1;
    if (px < LABEL || py < AXIS) return best;
    spans.forEach((s, i) => {
      if (y < tops[s.lane] || y >= tops[s.lane] + LANE || at < s.start - slack || at > s.start + s.took + slack) return;
      if (best < 0 || s.took < spans[best].took || !(at >= spans[best].start && at <= spans[best].start + spans[best].took)) best = i;
    });
    return best;
  };
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const zoom = (factor, around) => {
    const share = (around - from) / shown;
    shown *= factor;
    clamp();
    from = around - share * shown;
    clamp();
    redraw();
  };
  const showSpan = (i) => {
    const s = spans[i];
    if (s.start < from || s.start > from + shown) from = s.start - shown / 4;
    clamp();
    const y = tops[s.lane];
    if (y - view.scrollTop < AXIS) view.scrollTop = y - AXIS;
    if (y + LANE > view.scrollTop + view.clientHeight) view.scrollTop = y + LANE - view.clientHeight;
  };
  const zoomTo = (i) => {
    shown = spans[i].took * 1.2;
    clamp();
    from = spans[i].start - (shown - spans[i].took) / 2;
    clamp();
    redraw();
  };
  const all = () => {
    from = 0;
    shown = length;
    redraw();
  };

  // ---- mouse ----
  let drag = null;
  view.addEventListener('wheel', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) {
      event.preventDefault();
      zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) / 160), timeAt(Math.max(place(event)[0], LABEL)));
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      from += ((event.deltaX || event.deltaY) / (width - LABEL)) * shown;
      clamp();
      redraw();
    }
  }, { passive: false });
  canvas.addEventListener('pointerdown', (event) => {
    drag = { x: event.clientX, from, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    const [px, py] = place(event);
    if (drag && Math.abs(event.clientX - drag.x) > 3) {
      drag.moved = true;
      view.classList.add('drag');
      from = drag.from - ((event.clientX - drag.x) / (width - LABEL)) * shown;
      clamp();
      tip.hidden = true;
      redraw();
      return;
    }
    const i = spanAt(px, py);
    if (i !== hovered) {
      hovered = i;
      if (i >= 0) tip.replaceChildren(describe(i));
      redraw();
    }
    tip.hidden = i < 0;
    tip.style.left = Math.max(8, Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 12)) + 'px';
    tip.style.top = (event.clientY + 18 + tip.offsetHeight > window.innerHeight ? Math.max(8, event.clientY - 12 - tip.offsetHeight) : event.clientY + 18) + 'px';
  });
  canvas.addEventListener('pointerup', (event) => {
    if (drag && !drag.moved) select(spanAt(...place(event)));
    drag = null;
    view.classList.remove('drag');
  });
  canvas.addEventListener('pointerleave', () => {
    hovered = -1;
    tip.hidden = true;
    redraw();
  });
  canvas.addEventListener('dblclick', (event) => {
    const i = spanAt(...place(event));
    if (i >= 0) zoomTo(i); else zoom(0.5, timeAt(place(event)[0]));
  });
  view.addEventListener('scroll', redraw);

  // ---- keyboard ----
  const middle = () => (selected >= 0 ? Math.min(Math.max(spans[selected].start + spans[selected].took / 2, from), from + shown) : from + shown / 2);
  const step = (by_) => {
    const now = selected < 0 ? (by_ > 0 ? -1 : inTime.length) : order.get(selected);
    for (let at = now + by_; at >= 0 && at < inTime.length; at += by_) {
      if (!matches(spans[inTime[at]])) continue;
      showSpan(inTime[at]);
      select(inTime[at]);
      return;
    }
  };
  const pan = (share) => {
    from += share * shown;
    clamp();
    redraw();
  };
  const keys = {
    'ArrowLeft': () => pan(-0.1), 'ArrowRight': () => pan(0.1), 'a': () => pan(-0.1), 'd': () => pan(0.1), 'PageUp': () => pan(-0.9), 'PageDown': () => pan(0.9),
    'ArrowUp': () => { view.scrollTop -= 3 * LANE; }, 'ArrowDown': () => { view.scrollTop += 3 * LANE; },
    '+': () => zoom(0.7, middle()), '=': () => zoom(0.7, middle()), 'w': () => zoom(0.7, middle()), '-': () => zoom(1 / 0.7, middle()), 's': () => zoom(1 / 0.7, middle()),
    '0': all, 'Home': all, 'n': () => step(1), 'p': () => step(-1), 'Enter': () => { if (selected >= 0) zoomTo(selected); }, 'Escape': () => select(-1),
  };
  view.addEventListener('keydown', (event) => {
    const act = event.ctrlKey || event.metaKey || event.altKey ? null : keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  by('in').addEventListener('click', () => zoom(0.5, middle()));
  by('out').addEventListener('click', () => zoom(2, middle()));
  by('all').addEventListener('click', all);
  find.addEventListener('input', () => {
    wanted = find.value.trim().toLowerCase();
    redraw();
  });
  find.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
  });

  // ---- begin ----
  readColours();
  const legend = () => {
    by('legend').replaceChildren(...[...new Set(spans.map((s) => s.category))].map((category) => {
      const item = document.createElement('li'), box = document.createElement('i');
      box.style.background = colours['c-' + (colourOf[category] || 'other')];
      item.append(box, category);
      return item;
    }));
  };
  legend();
  view.hidden = find.hidden = by('buttons').hidden = false;
  window.addEventListener('resize', redraw);
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    readColours();
    legend();
    redraw();
  });
  by('height').style.height = height + 'px';
  draw();
  draw(); // the second time at the height that the first one made
})();
