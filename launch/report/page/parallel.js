// Parallel coordinates: a line a trial across its parameters and its metric. A drag along an axis filters.

/** Where a line crosses the axis of a parameter that its trial does not have: below all values. */
const absentShare = -0.045;

/** Each axis has a width, and a canvas an end: with more, there were fewer pixels than texts need. */
const axisWidth = 80, mostParallel = 480;

function parallelAxes(view) {
  // The best value is at the top, whichever way is better.
  const up = (share) => (view.sign > 0 ? 1 - share : share);
  return [
    ...view.parameters.slice(0, mostParallel).map((parameter, i) => {
      const scale = parameterScale(parameter);
      const isAbsent = (trial) => view.isAbsent(trial, i);
      const absent = view.trials.some(isAbsent) ? [{share: absentShare, text: 'absent'}] : [];
      return {
        name: parameter.name,
        share: (trial) => (isAbsent(trial) ? absentShare : scale.share(view.parameter(trial, i))),
        room: parameter.scale === 'choice' ? 0.5 / parameter.choices.length :
                                             0,  // for lines that would hide each other
        offset: () => scale.offset,
        ticks: (height) =>
            [...scale.ticks(5, height, 14).map((t) => ({share: scale.share(t.at), text: t.text})), ...absent],
      };
    }),
    {
      name: view.metric,
      room: 0,
      share: (trial) => (finite(trial.value) ? Math.min(1, Math.max(0, up(view.valueScale.share(trial.value)))) : NaN),
      offset: () => view.valueScale.offset,
      ticks: () => view.valueScale.ticks(5).map((t) => ({share: up(view.valueScale.share(t.at)), text: t.text})),
    },
  ];
}

function makeParallel(figure, view) {
  const axes = parallelAxes(view);
  view.axes = () => axes;
  const [top, bottom, side] = [axes.some((axis) => axis.offset()) ? 48 : 34, 16, 58];
  const longest = Math.max(...axes[0].ticks(300).map(({text}) => text.length));
  let right = side;  // room for the numbers of the metric: without its middle, one would be another
  // Room for the words of the first axis.
  const left = (width) => Math.max(side, Math.min(7 * longest + 14, width / 9));
  const xOf = (i, width) =>
      left(width) + (axes.length === 1 ? 0.5 : i / (axes.length - 1)) * (width - left(width) - right);
  const yOf = (share, height) => height - bottom - share * (height - top - bottom);
  const placeOf = (axis, trial) => {
    const share = axis.share(trial);
    return share === absentShare ? share : share + axis.room * spread(trial);
  };
  const shareOf = (y, height) => (height - bottom - y) / (height - top - bottom);
  const most = 1500;
  // Many axes on a narrow screen: the box scrolls.
  const place = element('div');
  place.style.minWidth = `${axisWidth * axes.length}px`;
  figure.append(element('div', {class: 'scroll'}, place));
  const plot = new Plot(place, () => (view.ranked.length && view.parameters.length ? 320 : 40), (p) => {
    if (!view.ranked.length) return p.say(nothingReported);
    if (!view.parameters.length) return p.say('No parameter varies.');
    const c = p.context, [width, height] = p.size;
    p.frame = {left: 0, top, width, height: height - top - bottom};
    right = Math.max(side, ...axes[axes.length - 1].ticks().map(({text}) => c.measureText(text).width + 14));
    const paint = view.qualityPaint('m');
    const draw = view.fairDraw([...view.ranked].reverse(), most);
    const order = draw.trials.sort((a, b) => view.weight(a.id) - view.weight(b.id));
    for (const trial of order) {
      const weight = view.weight(trial.id);
      c.globalAlpha = weight === 2 ? 1 : weight === 1 ? (draw.drawn > 300 ? 0.3 : 0.65) : 0.1;
      c.lineWidth = weight === 2 ? 3 : 1.2;
      c.strokeStyle = paint(trial.value);
      c.beginPath();
      const points = axes.map((axis, i) => [xOf(i, width), yOf(placeOf(axis, trial), height)]);
      points.forEach(([x, y], i) => {
        if (i === 0) return c.moveTo(x, y);
        const [px, py] = points[i - 1], mid = (px + x) / 2;
        c.bezierCurveTo(mid, py, mid, y, x, y);
      });
      c.stroke();
      if (weight)
        for (const [x, y] of points)
          if (finite(y)) p.mark(x, y, trial.id, () => view.text(trial.id));
    }
    c.globalAlpha = 1;
    sayDrawn(figure, {'': draw});
    const isBeyond = ({value}) => finite(value) && Math.abs(view.valueScale.share(value) - 0.5) > 0.5;
    const beyond = view.trials.filter(isBeyond).length;
    saySentence(figure, 'beyond', beyond ? `${theyLie(beyond)} beyond the axis of ${view.metric}.` : '');
    const {length} = view.parameters;
    if (length > mostParallel)
      saySentence(figure, 'axes', `The first ${mostParallel} of ${length} parameters have an axis.`);
    axes.forEach((axis, i) => {
      const x = Math.round(xOf(i, width)) + 0.5;
      c.strokeStyle = colour('muted');
      c.lineWidth = 1;
      p.line(x, yOf(0, height), x, yOf(1, height));
      c.textAlign = 'center';
      c.textBaseline = 'bottom';
      c.fillStyle = i === axes.length - 1 ? colour('best') : colour('text');
      const room = (width - left(width) - right) / Math.max(1, axes.length - 1) - 8;
      const middle = Math.min(Math.max(x, 40), width - 40);
      c.fillText(fitted(c, axis.name, room), middle, 22);
      p.area(middle - room / 2, 6, room, 18, undefined, axis.name);  // the whole of it, where it does not fit
      c.fillStyle = colour('muted');
      if (axis.offset()) c.fillText(offsetText({offset: axis.offset()}), x, 38);
      c.textAlign = i === axes.length - 1 ? 'left' : 'right';
      c.textBaseline = 'middle';
      for (const tick of axis.ticks(yOf(0, height) - yOf(1, height))) {
        if (tick.share !== absentShare && !(tick.share >= -0.01 && tick.share <= 1.01)) continue;
        const at = x + (i === axes.length - 1 ? 6 : -6), y = yOf(tick.share, height);
        const text =
            fitted(c, tick.text, i === axes.length - 1 ? right - 8 : i ? xOf(1, width) - xOf(0, width) - 10 : x - 8);
        c.lineWidth = 3;
        c.strokeStyle = colour('ground');
        c.strokeText(text, at, y);
        c.fillStyle = colour('muted');
        c.fillText(text, at, y);
      }
      const [axisAt, rangeNow] = dragged();
      const range = axisAt === i ? rangeNow : view.filters.ranges.get(i);
      if (range) {
        c.globalAlpha = 0.3;
        c.fillStyle = colour('accent');
        c.fillRect(x - 8, yOf(range[1], height), 16, yOf(range[0], height) - yOf(range[1], height));
        c.globalAlpha = 1;
      }
    });
  }, {
    label: 'Configurations in parallel coordinates',
    onTrial: (trial, more) => view.select(trial, more),
    onDrag: (from, to, done) => {
      if (!done) return plot.redraw();
      view.filters.ranges.set(...rangeBetween(from, to));
      view.filter();
    },
    onClear: (at) => {
      view.filters.ranges.delete(nearest(at[0], plot.size[0]));
      view.filter();
    },
  });
  const nearest = (x, width) =>
      axes.reduce((best, _, i) => (Math.abs(xOf(i, width) - x) < Math.abs(xOf(best, width) - x) ? i : best), 0);
  const rangeBetween = (from, to) => {
    const [width, height] = plot.size;
    return [nearest(from[0], width), [shareOf(from[1], height), shareOf(to[1], height)].sort((a, b) => a - b)];
  };
  const dragged = () => (plot.from && plot.moved ? rangeBetween(plot.from, plot.to) : []);
  // A finger on an axis filters, elsewhere it scrolls.
  plot.canvas.addEventListener('touchstart', (event) => {
    const x = event.touches[0].clientX - plot.canvas.getBoundingClientRect().left;
    if (Math.abs(xOf(nearest(x, plot.size[0]), plot.size[0]) - x) < 20) event.preventDefault();
  }, {passive: false});
  if (view.ranked.length) legend(figure, view.qualityLegend('m'));
  view.onChange(() => plot.update());
}
