// Who ran on which slot, when, on how many workers.

/** Slots in the order of nodes and ids: a row each. */
function rowsOf(view) {
  const nodes = new Map();
  for (const [slot, node] of view.lanes) nodes.set(slot, node);
  const slots = [...nodes.keys()].sort((a, b) => nodes.get(a) - nodes.get(b) || a - b);
  return {slots, nodes, row: new Map(slots.map((slot, i) => [slot, i]))};
}

/** The neighbouring rows of a group as blocks: [first row, number of rows]. */
function blocksOf(slots, row) {
  const rows = slots.map((slot) => row.get(slot)).filter((r) => r !== undefined).sort((a, b) => a - b);
  const blocks = [];
  for (const r of rows) {
    const last = blocks[blocks.length - 1];
    if (last && last[0] + last[1] === r)
      ++last[1];
    else
      blocks.push([r, 1]);
  }
  return blocks;
}

const ganttPaints = {
  workers: () => {
    const colours = levelColours('w');
    return (span) => colours[Math.min(5, workersLevel(span[3].length))];
  },
  rung: (view) => {
    const colours = levelColours('w');
    return (span) => colours[Math.min(5, view.trials[span[0]]?.rung ?? 0)];
  },
  value: (view) => {
    const paint = view.qualityPaint('w');
    return (span) => paint(view.trials[span[0]]?.value);
  },
};

/** Bars are painted as `paint(view)` says, from one time to another. */
function drawGantt(plot, view, paint, [from, to]) {
  const c = plot.context, [width, height] = plot.size;
  const {slots, nodes, row} = rowsOf(view);
  if (!slots.length) return plot.say('No slot has joined this sweep yet.');
  const scale = timeScale(from, to);
  const useHeight = 54, bottom = 20 + useHeight;
  const places = plot.axes(scale, null, {xName: 'running time', left: 46, bottom, grid: false});
  const {frame} = places;
  const step = frame.height / slots.length;
  // Also where a row is less than a pixel of the screen, it is drawn as one: the last that lies there is seen.
  const gap = step > 3 ? Math.max(1, Math.round(plot.ratio * (step > 6 ? 1 : 0.5))) / plot.ratio : 0;
  const rowsAt = (first, count) => {
    const [y, h] = plot.snapped(frame.top + first * step, frame.top + (first + count) * step);
    return [y, Math.max(1 / plot.ratio, h - gap)];
  };
  drawNodeLines(plot, slots, nodes, frame, step, Math.min(frame.right, places.x(view.elapsed)));
  plot.clip();
  // Where a slot was there and nobody ran, the hatching stays visible.
  const fills = [colour('idle'), c.createPattern(hatching(), 'repeat')];
  for (const [slot, , begin, end] of view.lanes) {
    const x = places.x(begin), [y, h] = rowsAt(row.get(slot), 1);
    for (const fill of fills) {
      c.fillStyle = fill;
      c.fillRect(x, y, places.x(end) - x, h);
    }
  }
  const paintOf = paint(view);
  const dim = view.selected.size || view.isFiltered;
  const isSelected = ([trial]) => view.weight(trial) === 2;
  const ground = colour('ground');
  // Selected bars last, and never thinner than can be seen: a row may be less than a pixel.
  for (const span of [...view.spans.filter((s) => !isSelected(s)), ...view.spans.filter(isSelected)]) {
    const [trial, begin, end, group] = span;
    if (end < from || begin > to) continue;
    const weight = view.weight(trial), least = weight === 2 ? 6 : 0;
    const [x, w] = plot.snapped(Math.max(frame.left, places.x(begin)), Math.min(frame.right, places.x(end)));
    const alpha = dim && weight === 0 ? 0.35 : 1;
    for (const [first, count] of blocksOf(group, row)) {
      let [y, h] = rowsAt(first, count);
      if (h < least) {
        const top = Math.min(Math.max(y + (h - least) / 2, frame.top), frame.bottom - least);
        [y, h] = plot.snapped(top, top + least);
      }
      // Where a bar is pale, the ground first: hatching below it would say that nobody was there.
      for (const [fill, strength] of alpha < 1 ? [[ground, 1], [paintOf(span), alpha]] : [[paintOf(span), 1]]) {
        c.globalAlpha = strength;
        c.fillStyle = fill;
        c.fillRect(x, y, w > 3 ? w - 1 / plot.ratio : w, h);
      }
      if (weight === 2) {
        c.strokeStyle = colour('text');
        c.lineWidth = 1.5;
        c.strokeRect(x + 0.5, y + 0.5, w - 1, h - 1);
      }
      if (w > 24 && h > 11) {
        c.fillStyle = inkOn(paintOf(span));
        c.textAlign = 'left';
        c.textBaseline = 'middle';
        c.font = font(Math.min(12, h - 1));
        c.fillText(String(trial), x + 4, y + h / 2);
      }
      plot.area(
          x, y, w, h, trial,
          () => `${view.text(trial)}\n${group.length} worker${group.length > 1 ? 's' : ''} from ${
              clockText(begin)} to ${clockText(end)}`);
    }
  }
  c.globalAlpha = 1;
  drawHappenings(plot, view, places, step, row);
  plot.unclip();
  drawNodes(plot, slots, nodes, frame, step);
  drawUse(plot, view, scale, frame, height - bottom + 10, useHeight - 14);
}

function hatching() {
  const tile = document.createElement('canvas');
  tile.width = tile.height = 6;
  const c = tile.getContext('2d');
  c.strokeStyle = colour('idle-line');
  c.lineWidth = 1;
  c.beginPath();
  c.moveTo(-1, 7);
  c.lineTo(7, -1);
  c.moveTo(-1, 1);
  c.lineTo(1, -1);
  c.moveTo(5, 7);
  c.lineTo(7, 5);
  c.stroke();
  return tile;
}

/** Faults are crosses, and sessions dashed lines. */
function drawHappenings(plot, view, places, step, row) {
  const c = plot.context, {frame} = places;
  c.strokeStyle = colour('muted');
  c.lineWidth = 1;
  c.setLineDash([4, 3]);
  let last = -Infinity;  // a thousand sessions would hide what ran
  for (const [time, host] of view.sessions.slice(1)) {
    if (places.x(time) - last >= 4) plot.line((last = places.x(time)), frame.top, last, frame.bottom);
    plot.mark(places.x(time), frame.top, undefined, `A session began on ${host} at ${clockText(time)}`);
  }
  c.setLineDash([]);
  const strokes = [[colour('ground'), 4.5], [colour('fault'), 2]], r = 4;
  const spans = new Map(view.faults.map((fault) => [fault[1], []]));  // of the trials that failed
  for (const span of view.spans) spans.get(span[0])?.push(span);
  for (const [time, trial, slot, kind, message] of view.faults) {
    const where = slot ?? spans.get(trial).find((s) => s[1] <= time && time <= s[2])?.[3][0];
    if (!row.has(where)) continue;  // its stay on slots is one of those that the page leaves out
    const x = places.x(time), y = frame.top + (row.get(where) + 0.5) * step;
    for (const [paint, w] of strokes) {
      c.strokeStyle = paint;
      c.lineWidth = w;
      plot.line(x - r, y - r, x + r, y + r);
      plot.line(x - r, y + r, x + r, y - r);
    }
    const words = message.length > 300 ? `${message.slice(0, 300)}…` : message;
    plot.mark(x, y, trial, `${kind} of trial ${trial} at ${clockText(time)}\n${words}`);
  }
  c.lineWidth = 1;
}

/** Lines between nodes, where rows are wide enough. They lie below the bars: a group may span several nodes. */
function drawNodeLines(plot, slots, nodes, frame, step, right) {
  if (step <= 4) return;
  plot.context.strokeStyle = colour('muted');
  plot.context.globalAlpha = 0.6;
  plot.context.lineWidth = 1;
  slots.forEach((slot, i) => {
    const y = Math.round(frame.top + i * step) - 0.5;
    if (i > 0 && nodes.get(slot) !== nodes.get(slots[i - 1])) plot.line(frame.left - 30, y, right, y);
  });
  plot.context.globalAlpha = 1;
}

function drawNodes(plot, slots, nodes, frame, step) {
  const c = plot.context;
  c.font = font(11);
  c.fillStyle = colour('muted');
  c.textAlign = 'right';
  c.textBaseline = 'middle';
  let last = -Infinity;
  slots.forEach((slot, i) => {
    const y = frame.top + (i + 0.5) * step;
    if (y - last >= 13) {
      c.fillText(String(slot), frame.left - 6, y);
      last = y;
    }
  });
  c.save();
  c.translate(9, frame.top + frame.height / 2);
  c.rotate(-Math.PI / 2);
  c.textAlign = 'center';
  c.fillText('slot', 0, 0);
  c.restore();
  c.font = font(12);
}

/** The share of the slots in use, below the slots and on their axis of time. */
function drawUse(plot, view, scale, frame, top, height) {
  const c = plot.context, {step, there, held} = view.use;
  if (!held?.length) return;
  const most = Math.max(...there, 1e-9);
  const x = (i) => frame.left + scale.share(i * step) * frame.width;
  const base = top + height, h = height - 8;
  c.save();
  c.beginPath();
  c.rect(frame.left, base - h - 1, frame.width, h + 2);
  c.clip();
  for (const [values, paint, alpha] of [[there, colour('idle'), 1], [held, colour('accent'), 0.75]]) {
    c.globalAlpha = alpha;
    c.fillStyle = paint;
    c.beginPath();
    c.moveTo(x(0), base);
    values.forEach((value, i) => {
      c.lineTo(x(i), base - (h * value) / most);
      c.lineTo(x(i + 1), base - (h * value) / most);
    });
    c.lineTo(x(values.length), base);
    c.fill();
  }
  c.restore();
  c.fillStyle = colour('muted');
  c.textAlign = 'right';
  c.textBaseline = 'middle';
  c.fillText(`${Math.round(100 * view.utilization)} %`, frame.left - 6, base - h / 2 - 7);
  c.font = font(11);
  c.fillText('in use', frame.left - 6, base - h / 2 + 7);
  held.forEach((value, i) => {
    if (i % 8 === 0)
      plot.mark(
          x(i + 0.5), base - (h * value) / most, undefined,
          `${clockText((i + 0.5) * step)}: ${numberText(value)} of ${numberText(there[i])} slots in use`);
  });
}

function workersLegend(views, set) {
  const [, most] = extent([1, ...views.flatMap((view) => view.spans.map((span) => span[3].length))]);
  const entries = [];
  for (let n = 1, level = 0; n <= most && level < 6; n *= 2, ++level) {
    entries.push([
      `${set}${level}`,
      level === 5 ? '32 or more workers' :
          n === 1 ? '1 worker' :
                    `${n}${n * 2 - 1 > n && n > 1 ? ` to ${n * 2 - 1}` : ''} workers`
    ]);
  }
  return entries;
}

const ganttHeight = (view) => (width) => {
  const rows = rowsOf(view).slots.length;
  return 84 + Math.min(Math.max(rows * 17, 60), width < 600 ? 320 : 460);
};

function makeGantt(figure, view) {
  const workers = workersLegend([view], 'w');
  const kinds = [['workers', 'workers'], ['rung', 'last rung'], ['value', 'quality']];
  const kind = chooser(figure, view, 'Colour', kinds, () => {
    relegend();
    plot.update();
  }, workers.length > 1 ? 'workers' : 'value');
  const draw = (p) => drawGantt(p, view, ganttPaints[kind()], view.timeWindow());
  const plot = new Plot(figure, ganttHeight(view), draw, {
    label: `Slots over time: ${view.trials.length} trials on ${rowsOf(view).slots.length} slots, ${
        Math.round(100 * view.utilization)} % in use`,
    onTrial: (trial, more) => view.select(trial, more),
    onDrag: (from, to, done) => zoomBy(plot, view, from, to, done),
    onClear: () => view.zoom(),
  });
  const isLacking = !view.isFlat && view.trials.some((trial) => !finite(trial.value));
  const relegend = () => legend(figure, [
    ...(kind() === 'workers'  ? workers :
            kind() === 'rung' ? view.rungLegend('w') :
                                [...view.qualityLegend('w'), ...(isLacking ? [['muted', 'no value']] : [])]),
    ['idle', 'idle'], ...(view.faults.length ? [['fault', 'fault (×)']] : [])
  ]);
  relegend();
  view.onChange(() => plot.update());
}

/** A drag over a chart over time zooms all of them; it is shown while it lasts. */
function zoomBy(plot, view, from, to, done) {
  const {left, width, top, height} = plot.frame;
  const [low, high] = view.timeWindow();
  const time = (x) => low + Math.min(1, Math.max(0, (x - left) / width)) * (high - low);
  const [a, b] = [from[0], to[0]].sort((p, q) => p - q);
  if (done) return view.zoom(time(a), time(b));
  plot.redraw();
  plot.context.globalAlpha = 0.25;
  plot.context.fillStyle = colour('accent');
  plot.context.fillRect(a, top, b - a, height);
  plot.context.globalAlpha = 1;
}

/** The slots of several sweeps on the same axis of time: which one was done first is seen at once. */
function makeCommonGantt(figure, view, views) {
  const until = Math.max(...views.map((v) => v.elapsed || 0), 1e-9);
  const best = view.ranked[0];
  const drawEnd = (p) => {
    const {left, top, bottom, right, width} = p.frame, x = left + (view.elapsed / until) * width, c = p.context;
    if (view.elapsed === until) return;
    const word = {finished: 'done', damaged: 'damaged'}[view.state] ?? view.state;
    const text = `${word} after ${clockText(view.elapsed)}`;
    c.textAlign = 'left';
    c.textBaseline = 'middle';
    c.font = `600 ${font(13)}`;
    const at = Math.min(x + 10, right - c.measureText(text).width - 4);  // over the last bars where it has to be
    c.lineWidth = 4;
    c.strokeStyle = colour('ground');
    c.strokeText(text, at, (top + bottom) / 2);
    c.fillStyle = colour('text');
    c.fillText(text, at, (top + bottom) / 2);
  };
  const plot = new Plot(figure, ganttHeight(view), (p) => {
    drawGantt(p, view, ganttPaints.workers, [0, until]);
    if (p.frame) drawEnd(p);
  }, {
    label: `Slots over time of ${view.name}`,
    onTrial: (trial, more) => view.select(trial, more),
  });
  figure.querySelector('figcaption span').textContent = `${best ? `${view.metric} ${numberText(best.value)} ` : ''}in ${
      clockText(view.elapsed)}, ${Math.round(100 * view.utilization)} % of the slots' time in use`;
  const common = document.querySelectorAll('[data-chart="gantt-common"]');
  if (figure === common[common.length - 1]) {
    legend(figure, [
      ...workersLegend(views, 'w'), ['idle', 'idle'],
      ...(views.some((v) => v.faults.length) ? [['fault', 'fault (×)']] : [])
    ]);
  }
  view.onChange(() => plot.update());
}
