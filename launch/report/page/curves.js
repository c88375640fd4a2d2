// Over time: the best value so far, and every trial's learning curve.

function makeBest(figure, view) {
  let over = 'time';
  const {cost, slot_hours: slotHours} = view.spending;
  const price = finite(cost) && slotHours > 0 ? cost / slotHours : 0;  // of a slot-hour
  const names = {time: 'time at work', slot_hours: 'slot-hours', ...(price ? {cost: 'cost'} : {})};
  const plot = new Plot(figure, () => (view.best_so_far.length ? 300 : 40), (p) => {
    const points = view.best_so_far;
    if (!points.length) return p.say(nothingReported);
    const along = (time, hours) => over === 'time' ? time : over === 'cost' ? hours * price : hours;
    const end = along(view.elapsed, slotHours);
    const x = over === 'time' ? timeScale(...view.timeWindow()) : linearScale(0, end || 1);
    const values = points.map((point) => point[2]);
    const y = linearScale(...padded(extent(values)));
    const places = p.axes(x, y, {xName: names[over], yName: view.metric});
    const c = p.context;
    p.clip();
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
      const at = [places.x(along(time, hours)), places.y(value)];
      p.dot(
          ...at, view.weight(trial) === 2 ? 6 : 3.5,
          {fill: view.weight(trial) === 2 ? colour('best') : colour('accent')});
      p.mark(
          ...at, trial,
          () => `${view.metric} = ${numberText(value)} after ${clockText(time)} and ${numberText(hours)} slot-hours\n${
              view.text(trial)}`);
    }
    p.unclip();
  }, {
    label: `Best ${view.metric} so far`,
    onTrial: (trial, more) => view.select(trial, more),
    onDrag: (from, to, done) => {
      if (over === 'time') zoomBy(plot, view, from, to, done);
    },
    onClear: () => view.zoom(),
  });
  chooser(figure, 'Over', Object.entries({...names, time: 'time'}), (value) => {
    over = value;
    plot.update();
  });
  view.onChange(() => plot.update());
}

function makeCurves(figure, view) {
  let paintBy = 'workers', over = 'resource';
  const seen = view.curves.flatMap((curve) => curve[1]).filter(finite).sort((a, b) => a - b);
  const plot = new Plot(figure, () => (seen.length ? 300 : 40), (p) => {
    if (!seen.length) return p.say(nothingReported);
    const [, most] = extent([1, ...view.curves.map((curve) => curve[0][curve[0].length - 1])]);
    const usual = [seen[0], seen[seen.length - 1]];
    const room = 2 * (quantile(seen, 0.95) - quantile(seen, 0.05));
    if (view.sign > 0)
      usual[1] = Math.min(usual[1], quantile(seen, 0.95) + room);
    else
      usual[0] = Math.max(usual[0], quantile(seen, 0.05) - room);
    const x = over === 'resource' ? (most > 8 ? logScale(1, most) : linearScale(Math.min(1, most - 1), most)) :
                                    timeScale(...view.timeWindow());
    const y = linearScale(...padded(usual));
    const places = p.axes(x, y, {xName: over === 'resource' ? 'resource' : 'time at work', yName: view.metric});
    const c = p.context, column = over === 'resource' ? 0 : 2;
    const levels = [0, 1, 2, 3, 4, 5].map(levelColour);
    p.clip();
    const order = [...view.trials].sort((a, b) => view.weight(a.id) - view.weight(b.id) || a.rung - b.rung);
    for (const trial of order) {
      const curve = view.curves[trial.id], weight = view.weight(trial.id);
      if (!curve || !curve[0].length) continue;
      const many = view.trials.length > 500;
      c.globalAlpha = weight === 2 ? 1 : weight === 1 ? (many ? 0.4 : 0.75) : 0.12;
      c.lineWidth = weight === 2 ? 2.6 : 1.2;
      if (weight === 0 && many && trial.id % 7) continue;
      for (let i = 0; i < curve[0].length; ++i) {
        const value = curve[1][i];
        if (!finite(value)) continue;
        const at = [places.x(curve[column][i]), places.y(value)];
        const paint =
            paintBy === 'workers' ? levels[Math.min(5, workersLevel(curve[3][i]))] : levels[Math.min(5, trial.rung)];
        c.strokeStyle = paint;
        if (i > 0 && finite(curve[1][i - 1])) p.line(places.x(curve[column][i - 1]), places.y(curve[1][i - 1]), ...at);
        const regrouped = i > 0 && curve[3][i] !== curve[3][i - 1];
        if (curve[0].length === 1 || regrouped) p.dot(...at, weight === 2 ? 4 : 2.4, {fill: paint});
        if (weight)
          p.mark(
              ...at, trial.id,
              () => `${view.metric} = ${numberText(value)} at ${curve[0][i]}, on ${curve[3][i]} worker${
                  curve[3][i] > 1 ? 's' : ''}\n${view.text(trial.id)}`);
      }
    }
    c.globalAlpha = 1;
    p.unclip();
  }, {
    label: `Learning curves of ${view.trials.length} trials`,
    onTrial: (trial, more) => view.select(trial, more),
    onDrag: (from, to, done) => {
      if (over === 'time') zoomBy(plot, view, from, to, done);
    },
    onClear: () => view.zoom(),
  });
  const relegend = () => legend(
      figure,
      paintBy === 'workers' ? workersLegend(view) : view.rungs.map((r, i) => [levelColour(i + 1), `reached ${r.at}`]));
  chooser(figure, 'Over', [['resource', 'resource'], ['time', 'time']], (value) => {
    over = value;
    plot.update();
  });
  chooser(figure, 'Colour', [['workers', 'workers'], ['rung', 'last rung']], (value) => {
    paintBy = value;
    relegend();
    plot.update();
  });
  relegend();
  view.onChange(() => plot.update());
}
