// A chart on a canvas: axes, marks, and what lies under the pointer.

const tip = document.getElementById('tip');

/** Ends what the plots of a page listen to outside of it, so that they can go. */
let plotsEnd = new AbortController();
function endOldPlots() {
  plotsEnd.abort();
  plotsEnd = new AbortController();
}
let tipAt = null;  // where it tells something, as an event has it
function showTip(text, x, y) {
  tipAt = text ? {clientX: x, clientY: y} : null;
  tip.textContent = text;
  tip.className = text ? 'on' : '';
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(innerWidth - box.width - 8, x + 14))}px`;
  tip.style.top = `${y + box.height + 22 > innerHeight ? y - box.height - 10 : y + 16}px`;
}
// What a finger has tapped is told until its next touch.
document.addEventListener('pointerdown', () => showTip('', 0, 0), {capture: true});

const font = (size) => `${size}px system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif`;

// What browsers make a canvas of: one that is longer, or has more pixels, stays blank.
const longestCanvas = 32767, largestCanvas = 2 ** 24;

/**
 * A canvas that fills its place and draws itself when it is seen, resized, printed, or asked to.
 *
 * `draw(plot)` draws with `plot.context` in units of CSS pixels, and calls `plot.mark(x, y, trial, text)` or
 * `plot.area(...)` for what the pointer may find.
 */
class Plot {
  constructor(place, height, draw, {label, onTrial, onDrag, onClear} = {}) {
    this.draw = draw;
    this.height = height;
    this.onTrial = onTrial;
    this.onDrag = onDrag;
    this.onClear = onClear;
    this.canvas = element('canvas', {role: 'img', 'aria-label': label || '', tabindex: -1});
    this.canvas.plot = this;
    place.append(this.canvas);
    this.context = this.canvas.getContext('2d');
    this.stale = true;
    this.visible = false;
    new IntersectionObserver((entries) => {
      this.visible = entries.some((entry) => entry.isIntersecting);
      if (this.visible && this.stale) this.redraw();
    }, {rootMargin: '300px'}).observe(this.canvas);
    new ResizeObserver(([{contentRect}]) => {
      if (Math.round(contentRect.width) !== this.size?.[0]) this.update();
    }).observe(place);
    if (typeof height === 'function')
      this.fit();
    else
      this.canvas.style.height = `${height}px`;  // without its width, for which the browser lays the page out anew
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.update(), {
      signal: plotsEnd.signal
    });
    // Paper has a width of its own, and no frame comes before it is printed.
    matchMedia('print').addEventListener('change', () => this.redraw(), {signal: plotsEnd.signal});
    // A browser's zoom changes how many pixels a canvas needs, even if it does not change its width.
    addEventListener('resize', () => devicePixelRatio === this.pixelRatio || this.update(), {signal: plotsEnd.signal});
    this.canvas.addEventListener('pointermove', (event) => this.move(event));
    this.canvas.addEventListener('pointerleave', ({pointerType}) => pointerType === 'touch' || showTip('', 0, 0));
    this.canvas.addEventListener('pointerdown', (event) => this.press(event));
    this.canvas.addEventListener('dblclick', () => this.onClear?.(this.at));
  }

  /** Draws now if the canvas is seen, else once it is. */
  update() {
    this.stale = true;
    if (this.visible && !this.waiting) {
      this.waiting = requestAnimationFrame(() => {
        this.waiting = 0;
        this.redraw();
      });
    }
  }

  /** Draws now if it is in view. The observer says so after a frame without it: a page that changes would flicker. */
  drawIfSeen() {
    const {top, bottom, width} = this.canvas.getBoundingClientRect();
    if (width && bottom > 0 && top < innerHeight) this.redraw();
  }

  /** Takes its height, so that nothing moves when it is drawn; returns its size. */
  fit() {
    const width = this.canvas.parentElement.clientWidth;
    const height = typeof this.height === 'function' ? this.height(width) : this.height;
    this.canvas.style.height = `${height}px`;
    return [width, height];
  }

  redraw() {
    const [width, height] = this.fit();
    if (!width) return;
    const most = Math.min(3, longestCanvas / Math.max(width, height), Math.sqrt(largestCanvas / (width * height)));
    this.pixelRatio = devicePixelRatio;
    const ratio = (this.ratio = Math.min(most, devicePixelRatio || 1));
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.font = font(12);
    this.size = [width, height];
    this.marks = [];
    this.areas = [];
    this.beyond = {above: new Set(), below: new Set()};
    this.draw(this);
    this.stale = false;
    this.canvas.dataset.drawn = this.marks.length + this.areas.length;
  }

  /** A place that the pointer may find, within a few pixels. */
  mark(x, y, trial, text) {
    this.marks.push({x, y, trial, text});
  }
  /** A rectangle that the pointer may find. */
  area(x, y, width, height, trial, text) {
    this.areas.push({x, y, width, height, trial, text});
  }

  found(x, y) {
    let best = null, distance = 14 * 14;
    for (const mark of this.marks || []) {
      const d = (mark.x - x) ** 2 + (mark.y - y) ** 2;
      if (d < distance) [best, distance] = [mark, d];
    }
    if (best) return best;
    for (let i = (this.areas || []).length - 1; i >= 0; --i) {
      const a = this.areas[i];
      if (x >= a.x && x <= a.x + a.width && y >= a.y && y <= a.y + a.height) return a;
    }
    return null;
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  move(event) {
    const at = this.place(event);
    if (this.from) {
      this.to = at;
      this.moved ||= Math.hypot(at[0] - this.from[0], at[1] - this.from[1]) > 4;
      if (this.moved && this.onDrag) {
        this.onDrag(this.from, at, false);
        showTip('', 0, 0);
      }
      return;
    }
    const found = this.tell(event);
    this.canvas.style.cursor = found?.trial !== undefined ? 'pointer' : this.onDrag ? 'crosshair' : 'default';
  }

  /** Shows the text of what lies there, which it returns. */
  tell(event) {
    const found = this.found(...this.place(event)), text = found?.text ?? '';
    showTip(typeof text === 'function' ? text() : text, event.clientX, event.clientY);
    return found;
  }

  press(event) {
    if (event.button !== 0) return;
    this.from = this.at = this.place(event);
    this.moved = false;
    this.canvas.setPointerCapture(event.pointerId);
    this.pressed?.abort();
    this.pressed = new AbortController();
    const end = (act) => (event) => {
      this.pressed.abort();
      const from = this.from;
      this.from = null;
      act(from, this.place(event), event);
    };
    const {signal} = this.pressed;
    this.canvas.addEventListener(
        'pointerup', end((from, to, event) => {
          if (this.moved) return this.onDrag?.(from, to, true);
          const {trial} = this.found(...to) ?? {};
          if (trial !== undefined) this.onTrial?.(trial, event.shiftKey || event.ctrlKey || event.metaKey);
          this.tell(event);  // a finger does not hover
        }),
        {signal});
    // A finger that scrolls the page has not chosen anything.
    this.canvas.addEventListener('pointercancel', end(() => this.update()), {signal});
  }

  /**
   * Draws the axes, and returns functions from values to pixels. `y` may be null: then rows are drawn by the caller,
   * who says how much room they need at the `left`.
   */
  axes(x, y, {left, right = 14, top = 10, bottom = 40, xName = '', yName = '', grid = true} = {}) {
    const c = this.context, [width, height] = this.size;
    if (y?.offset) top = Math.max(top, 22);
    const frame = {top, right: width - right, bottom: height - bottom};
    frame.height = Math.max(10, frame.bottom - frame.top);
    const yTicks = y ? y.ticks(Math.max(Math.min(5, frame.height / 20), frame.height / 32), frame.height, 13) : [];
    for (const tick of yTicks) {  // words of a choice: without its middle, a number would be another
      if (tick.room !== undefined) tick.text = fitted(c, tick.text, width / 4);
    }
    frame.left = left ?? (yName ? 30 : 12) + Math.max(0, ...yTicks.map(({text}) => c.measureText(text).width));
    frame.width = Math.max(10, frame.right - frame.left);
    this.frame = frame;
    c.lineWidth = 1;
    c.strokeStyle = colour('grid');
    c.fillStyle = colour('muted');
    c.textBaseline = 'top';
    c.textAlign = 'center';
    let last = -Infinity;
    for (const {at, text, centre, half} of this.ticksAlong(x, frame)) {
      if (grid) this.line(at, frame.top, at, frame.bottom);
      if (centre - half > last + 3) {
        c.fillText(text, centre, frame.bottom + 6);
        last = centre + half;
      }
    }
    if (xName) c.fillText(fitted(c, xName, frame.width), frame.left + frame.width / 2, height - 16);
    c.textAlign = 'right';
    if (x.offset) c.fillText(offsetText(x), frame.right, height - 16);
    c.textBaseline = 'middle';
    for (const tick of yTicks) {
      const at = Math.round(frame.bottom - y.share(tick.at) * frame.height) + 0.5;
      if (at < frame.top - 1 || at > frame.bottom + 1) continue;
      if (grid) this.line(frame.left, at, frame.right, at);
      c.fillText(tick.text, frame.left - 7, at);
    }
    c.textAlign = 'left';
    if (y?.offset) c.fillText(offsetText(y), 4, 8);
    if (yName) {
      c.save();
      c.translate(10, frame.top + frame.height / 2);
      c.rotate(-Math.PI / 2);
      c.textAlign = 'center';
      c.fillText(fitted(c, yName, frame.height), 0, 0);
      c.restore();
    }
    return {
      frame,
      x: (value) => frame.left + x.share(value) * frame.width,
      y: y && ((value) => frame.bottom - y.share(value) * frame.height),
    };
  }

  /** The ticks of a horizontal axis, as many as have room for texts that can be told apart: where these are. */
  ticksAlong(scale, {left, right, width}) {
    let places = [];
    for (let most = Math.max(5, Math.floor(width / 80)), least = 24; most >= 2; --most, least += 12) {
      places = scale.ticks(most, width, least).flatMap(({at: value, text, room}) => {
        const at = Math.round(left + scale.share(value) * width) + 0.5;
        if (at < left - 1 || at > right + 1) return [];
        const shown = room === undefined ? text : fitted(this.context, text, room);
        const half = this.context.measureText(shown).width / 2;
        return [{at, text: shown, half, centre: Math.min(Math.max(at, half + 1), this.size[0] - half - 1)}];
      });
      const collide = ({centre, half}, i) => i > 0 && centre - half < places[i - 1].centre + places[i - 1].half + 4;
      if (!places.some(collide) && new Set(places.map(({text}) => text)).size === places.length) break;
    }
    return places;
  }

  /** A place and a length on whole pixels of the screen: at parts of them a colour mixes with what lies below. */
  snapped(from, to) {
    const [start, end] = [from, to].map((at) => Math.round(at * this.ratio) / this.ratio);
    return [start, Math.max(1 / this.ratio, end - start)];
  }

  /** What is drawn until unclip() stays inside the axes; marks at their edges may be so many pixels wider. */
  clip(room = 1) {
    const {left, top, width, height} = this.frame;
    this.context.save();
    this.context.beginPath();
    this.context.rect(left - room, top - 6, width + 2 * room, height + 12);
    this.context.clip();
  }
  unclip() {
    this.context.restore();
  }

  line(x1, y1, x2, y2) {
    this.context.beginPath();
    this.context.moveTo(x1, y1);
    this.context.lineTo(x2, y2);
    this.context.stroke();
  }

  dot(x, y, radius, {fill, stroke} = {}) {
    const c = this.context;
    c.beginPath();
    c.arc(x, y, radius, 0, 7);
    if (fill) {
      c.fillStyle = fill;
      c.fill();
    }
    if (stroke) {
      c.strokeStyle = stroke;
      c.stroke();
    }
  }

  /** Whether a trial lies above or below the axes. It is counted, whether it is drawn or not. */
  isBeyond(x, y, trial) {
    const {left, right, top, bottom} = this.frame;
    const isBeyond = x >= left && x <= right && (y < top - 1 || y > bottom + 1);
    if (!isBeyond) return false;
    this.beyond[y < top ? 'above' : 'below'].add(trial);
    return true;
  }

  /**
   * Where a trial lies above or below the axes, a triangle at their edge says so; returns the place of a mark for it.
   */
  atEdge(x, y, trial, paint) {
    if (!this.isBeyond(x, y, trial)) return y;
    const {top, bottom} = this.frame, c = this.context;
    const [edge, inwards] = y < top ? [top, 1] : [bottom, -1];
    c.fillStyle = paint;
    c.beginPath();
    c.moveTo(x, edge - 5 * inwards);
    c.lineTo(x - 4, edge + 2 * inwards);
    c.lineTo(x + 4, edge + 2 * inwards);
    c.fill();
    return edge;
  }

  /** A sentence instead of a chart. */
  say(text) {
    const c = this.context;
    c.fillStyle = colour('muted');
    c.textAlign = 'left';
    c.textBaseline = 'top';
    let line = '', y = 8;
    for (const word of text.split(' ')) {
      if (c.measureText(`${line} ${word}`).width > this.size[0] - 8) {
        c.fillText(line, 2, y);
        [line, y] = ['', y + 16];
      }
      line = line ? `${line} ${word}` : word;
    }
    c.fillText(line, 2, y);
    this.area(0, 0, 1, 1, undefined, text);
  }
}

/** What charts say where there is nothing to draw. */
const nothingReported = 'No trial has reported a finite value yet.';

/** What the ticks of an axis leave out. */
const offsetText = ({offset}) => (offset < 0 ? '' : '+') + offset;

/** Text that is not wider than this. It loses its middle: names often differ in their ends. */
function fitted(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  const letters = [...text];  // a letter may be two units of a string
  const shortened = (kept) =>
      [...letters.slice(0, Math.ceil(kept / 2)), '…', ...letters.slice(letters.length - Math.floor(kept / 2))].join('');
  let [kept, most] = [1, letters.length - 1];
  while (kept < most) {
    const middle = Math.ceil((kept + most) / 2);
    if (context.measureText(shortened(middle)).width <= width)
      kept = middle;
    else
      most = middle - 1;
  }
  return shortened(kept);
}

/** A choice of words beside a chart's title. The view keeps what its reader chose; returns a function that tells it. */
function chooser(figure, view, name, options, onChange, otherwise = options[0][0]) {
  let place = figure.querySelector('.controls');
  if (!place) figure.querySelector('figcaption').append((place = element('div', {class: 'controls'})));
  const key = `${figure.dataset.chart} ${name}`;
  const kept = view.choices[key];
  const chosen = options.some(([value]) => value === kept) ? kept : otherwise;
  const select = choiceList(name, options, chosen, (value) => {
    view.choices[key] = value;
    onChange();
  });
  place.append(element('label', {}, `${name} `, select));
  return () => select.value;
}

const theyLie = (number) => (number === 1 ? '1 trial lies' : `${number} trials lie`);

/** Says in a figure's caption how many trials its axes leave out. */
function sayBeyond(figure) {
  const plots = [...figure.querySelectorAll('canvas')].map((canvas) => canvas.plot);
  const words = ['above', 'below'].flatMap((where) => {
    const {size} = new Set(plots.flatMap((plot) => [...plot.beyond?.[where] ?? []]));
    return size ? [`${theyLie(size)} ${where} this axis.`] : [];
  });
  saySentence(figure, 'beyond', words.join(' '));
}

/** Says in a figure's caption how many trials are drawn where not all are. Draws are those of places with a name. */
function sayDrawn(figure, draws) {
  const some = Object.entries(draws).filter(([, {drawn, of}]) => drawn < of);
  const words = some.map(([name, {drawn, of}]) => `${drawn} of ${of} drawn${name && ` at ${name}`}`);
  saySentence(figure, 'drawn', words.length ? `${words.join(', ')}.` : '');
}

/** Has a figure's caption end with words, which replace those of the same kind. */
function saySentence(figure, kind, words) {
  let place = figure.querySelector(`.${kind}`);
  if (!place) figure.querySelector('figcaption span').after(' ', (place = element('span', {class: kind})));
  if (place.textContent !== words) place.textContent = words;
}

/** What the colours of a chart mean. They are named, so that they change with the page's. */
function legend(figure, entries) {
  figure.querySelector('.legend')?.remove();
  figure.append(element('div', {class: 'legend'}, ...entries.map(([name, text]) => {
    const box = element('i');
    box.style.background = `var(--${name})`;
    return element('span', {}, box, text);
  })));
}
