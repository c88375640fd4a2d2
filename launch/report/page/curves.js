// Over time: the best value so far, and every trial's learning curve.

function makeBest(figure, view) {
  const {cost, slot_hours: slotHours} = view.spending;
  const price = finite(cost) && slotHours > 0 ? cost / slotHours : 0;  // of a slot-hour
  const names = {time: 'running time', slot_hours: 'slot-hours', ...(price ? {cost: 'cost'} : {})};
  const over = chooser(figure, view, 'Over', Object.entries({...names, time: 'time'}), () => plot.update());
  const plot = new Plot(figure, () => (view.best_so_far.length ? 300 : 40), (p) => {
    const points = view.best_so_far;
    if (!points.length) return p.say(nothingReported);
    const along = (time, hours) => over() === 'time' ? time : over() === 'cost' ? hours * price : hours;
    const end = along(view.elapsed, slotHours);
    const x = over() === 'time' ? timeScale(...view.timeWindow()) : linearScale(0, end || 1);
    // The last one before the window is the best until the next.
    const first = Math.max(0, points.findLastIndex((point) => along(...point) <= x.low));
    const shown = points.filter((point, i) => i >= first && along(...point) <= x.high);
    const y = view.metricScale(extent(view.withoutDiverged((shown.length ? shown : points).map((point) => point[2]))));
    const places = p.axes(x, y, {xName: names[over()], yName: view.metric});
    const c = p.context;
    p.clip(5);
    c.strokeStyle = colour('accent');
    c.lineWidth = 2;
    c.beginPath();
    let y0 = places.y(points[0][2]);
    c.moveTo(places.x(along(...points[0])), y0);
    for (const point of points.slice(1)) {
      const px = places.x(along(...point)), py = places.y(point[2]);
      c.lineTo(px, y0);
      c.lineTo(px, py);
      y0 = py;
    }
    c.lineTo(places.x(end), y0);
    c.stroke();
    for (const [time, hours, value, trial] of points) {
      const fill = view.weight(trial) === 2 ? colour('best') : colour('accent');
      const x = places.x(along(time, hours)), at = [x, p.atEdge(x, places.y(value), trial, fill)];
      if (at[1] === places.y(value)) p.dot(...at, view.weight(trial) === 2 ? 6 : 3.5, {fill});
      p.mark(
          ...at, trial,
          () => `${view.metric} = ${numberText(value)} after ${clockText(time)} and ${numberText(hours)} slot-hours\n${
              view.text(trial)}`);
    }
    p.unclip();
    sayBeyond(figure);
  }, {
    label: `Best ${view.metric} so far`,
    onTrial: (trial, more) => view.select(trial, more),
    onDrag: (from, to, done) => {
      if (over() === 'time') zoomBy(plot, view, from, to, done);
    },
    onClear: () => view.zoom(),
  });
  view.onChange(() => plot.update());
}

/** Rungs are where decisions are made; without them, whole numbers. */
function resourceScale(view, most) {
  const scale = most > 8 ? logScale(1, most) : linearScale(Math.min(1, most - 1), most, wholeTicks);
  const rungs = view.rungs.map(({at}) => ({at, text: String(at)}));
  return rungs.length > 1 ? {...scale, ticks: () => rungs} :
                            {...scale, ticks: (n) => scale.ticks(n).filter(({at}) => Number.isInteger(at))};
}

/** More lines than this hide each other. */
const mostCurves = 1000;

function makeCurves(figure, view) {
  const redraw = () => plot.update();
  const over = chooser(figure, view, 'Over', [['resource', 'resource'], ['time', 'time']], redraw);
  const workers = workersLegend([view], 'm');
  const kinds = [['workers', 'workers'], ['rung', 'last rung']];
  const paintBy = chooser(figure, view, 'Colour', kinds, () => {
    relegend();
    redraw();
  }, workers.length > 1 ? 'workers' : 'rung');
  const [, most] = extent([1, ...view.curves.map((curve) => curve[0][curve[0].length - 1])]);
  const isEmpty = !view.curves.some((curve) => curve[1].some(finite));
  let range = {};  // of the values in view; looked for again only where it may differ: there may be many
  const rangeIn = (column, {low, high}) => {
    const key = [column, low, high, view.isLog].join();
    if (range.key !== key) {
      const isIn = (curve) => (_, i) => curve[column][i] >= low && curve[column][i] <= high;
      const seen = view.curves.flatMap((curve) => curve[1].filter(isIn(curve)));
      range = {key, ends: view.rangeOf(seen.some(finite) ? seen : view.curves.flatMap((curve) => curve[1]))};
    }
    return range.ends;
  };
  const plot = new Plot(figure, () => (isEmpty ? 40 : 300), (p) => {
    if (isEmpty) return p.say(nothingReported);
    const overTime = over() === 'time', column = overTime ? 2 : 0;
    const x = overTime ? timeScale(...view.timeWindow()) : resourceScale(view, most);
    const y = view.metricScale(rangeIn(column, x));
    const xName = overTime ? 'running time' : most > 8 ? 'resource (log)' : 'resource';
    const places = p.axes(x, y, {xName, yName: view.metric});
    const c = p.context;
    const levels = levelColours('m');
    p.clip(5);
    const reported = view.trials.filter((trial) => view.curves[trial.id]?.[0].length);
    for (const {id} of reported) {
      const curve = view.curves[id], last = curve[0].length - 1;
      p.isBeyond(places.x(curve[column][last]), places.y(curve[1][last]), id);
    }
    const draw = view.fairDraw(reported, mostCurves), many = draw.drawn > 500;
    const order = draw.trials.sort((a, b) => view.weight(a.id) - view.weight(b.id) || a.rung - b.rung);
    for (const trial of order) {
      const curve = view.curves[trial.id], weight = view.weight(trial.id);
      c.globalAlpha = weight === 2 ? 1 : weight === 1 ? (many ? 0.4 : 0.75) : 0.12;
      c.lineWidth = weight === 2 ? 2.6 : 1.2;
      for (let i = 0; i < curve[0].length; ++i) {
        const value = curve[1][i];
        if (!finite(value)) continue;
        const at = [places.x(curve[column][i]), places.y(value)];
        const paint =
            paintBy() === 'workers' ? levels[Math.min(5, workersLevel(curve[3][i]))] : levels[Math.min(5, trial.rung)];
        c.strokeStyle = paint;
        if (i > 0 && finite(curve[1][i - 1])) p.line(places.x(curve[column][i - 1]), places.y(curve[1][i - 1]), ...at);
        const regrouped = i > 0 && curve[3][i] !== curve[3][i - 1];
        const edge = i === curve[0].length - 1 ? p.atEdge(...at, trial.id, paint) : at[1];
        const isAlone = !finite(curve[1][i - 1]) && !finite(curve[1][i + 1]);
        if (isAlone || regrouped) p.dot(...at, weight === 2 ? 4 : 2.4, {fill: paint});
        if (weight)
          p.mark(
              at[0], edge, trial.id,
              () => `${view.metric} = ${numberText(value)} at ${curve[0][i]}, on ${curve[3][i]} worker${
                  curve[3][i] > 1 ? 's' : ''}\n${view.text(trial.id)}`);
      }
    }
    c.globalAlpha = 1;
    p.unclip();
    sayBeyond(figure);
    sayDrawn(figure, {'': draw});
  }, {
    label: `Learning curves of ${view.trials.length} trials`,
    onTrial: (trial, more) => view.select(trial, more),
    onDrag: (from, to, done) => {
      if (over() === 'time') zoomBy(plot, view, from, to, done);
    },
    onClear: () => view.zoom(),
  });
  const relegend = () => isEmpty || legend(figure, paintBy() === 'workers' ? workers : view.rungLegend('m'));
  relegend();
  view.onChange(redraw);
}
