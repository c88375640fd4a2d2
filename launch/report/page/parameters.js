// What the parameters do: each one, their importance, their marginals, and two together.

function makeSlices(figure, view) {
  const grid = element('div', {class: 'grid'});
  figure.append(grid);
  figure.querySelector('figcaption span').textContent =
      `${view.metric} of each trial at its last report${view.lackingText}.`;
  if (!view.parameters.length) grid.append(element('p', {class: 'muted'}, 'No parameter varies.'));
  if (!view.ranked.length) {
    new Plot(grid, 40, (p) => p.say(nothingReported));
    return;
  }
  view.parameters.forEach((parameter, i) => {
    const scale = parameterScale(parameter);
    const place = element('div');
    grid.append(place);
    const plot = new Plot(place, 190, (p) => {
      const places = p.axes(scale, view.valueScale, {xName: parameter.name, right: 8});
      const room = parameter.scale === 'choice' ? places.frame.width / parameter.choices.length * 0.6 : 0;
      const levels = levelColours('m');
      const reported = view.trials.filter((trial) => finite(trial.value));
      const draw = view.fairDraw(reported, 3000), many = draw.drawn > 500;
      const placeOf = (trial) =>
          [places.x(view.parameter(trial, i)) + room * spread(trial), places.y(trial.value)];
      for (const trial of reported) p.isBeyond(...placeOf(trial), trial.id);
      p.clip(5);
      for (const weight of [0, 1, 2]) {
        for (const trial of draw.trials) {
          if (view.weight(trial.id) !== weight) continue;
          const at = placeOf(trial);
          if (!finite(at[0])) continue;  // the trial does not have the parameter
          p.context.globalAlpha = weight === 2 ? 1 : weight === 1 ? (many ? 0.45 : 0.8) : 0.15;
          const fill = levels[Math.min(5, trial.rung)], radius = many ? 2 : 3;
          const edge = p.atEdge(...at, trial.id, fill);
          if (edge === at[1])
            p.dot(...at, weight === 2 ? 5.5 : radius, {fill, stroke: weight === 2 ? colour('text') : undefined});
          if (weight) p.mark(at[0], edge, trial.id, () => view.text(trial.id));
        }
      }
      p.context.globalAlpha = 1;
      p.unclip();
      sayBeyond(figure);
      sayDrawn(figure, {'': draw});
    }, {label: `${view.metric} over ${parameter.name}`, onTrial: (trial, more) => view.select(trial, more)});
    view.onChange(() => plot.update());
  });
  legend(figure, view.rungLegend('m'));
}

const tooFew = ({compared}) =>
    `Too few ${compared} have a finite value at a rung, or at their end: importances need at least ten.`;

/** The charts of importance share the rung that their reader chose. */
function makeImportance(figures, view) {
  const {importance, marginals, pair} = figures;
  const redraws = [];
  const options = view.importances.map((each) => [String(each.at), `${each.at} (${each.trials} ${view.compared})`]);
  const redraw = () => redraws.forEach((each) => each());
  const at = options.length ? chooser(importance, view, 'At rung', options, redraw) : () => undefined;
  const rung = () => view.importances.find((each) => String(each.at) === at());
  const share = (i) => rung().shares[i]?.[0] ?? -1;
  const order = () => view.parameters.map((_, i) => i).sort((a, b) => share(b) - share(a));
  redraws.push(makeShares(importance, view, rung, order));
  redraws.push(makeMarginals(marginals, view, rung));
  redraws.push(makePair(pair, view, rung));
  const sayFarOff = () => {
    const [count, value] = rung()?.far_off ?? [0];
    const one = view.compared.slice(0, -1);
    const words = count ? `${count === 1 ? `1 ${one} that is` : `${count} ${view.compared} that are`} far off ${
                              count === 1 ? 'counts' : 'count'} as ${numberText(value)}.` : '';
    saySentence(importance, 'far-off', words);
  };
  redraws.push(sayFarOff);
  sayFarOff();
}

function makeShares(figure, view, rung, order) {
  const height = () => (rung() ? 44 + 26 * view.parameters.length : 40);
  const plot = new Plot(figure, height, (p) => {
    if (!rung()) return p.say(tooFew(view));
    const names = order(), {shares} = rung();
    const most = Math.max(0.05, ...shares.map((share) => (share ? share[0] + share[1] : 0)));
    const c = p.context;
    const left = Math.min(170, 16 + Math.max(...names.map((i) => c.measureText(view.parameters[i].name).width)));
    const {present, trials} = rung();
    const among = (i) => (present[i] < trials ? ` of ${present[i]} ${view.compared}` : '');
    const texts = shares.map((share, i) =>
        share ? `${numberText(Number((100 * share[0]).toPrecision(2)))} %${among(i)}` :
                `in ${present[i]} ${view.compared}: too few`);
    const right = 16 + Math.max(...texts.map((text) => c.measureText(text).width));
    const places = p.axes(linearScale(0, Math.min(1, most)), null, {left, right, bottom: 26});
    const alone = shares.reduce((sum, share, i) => sum + (present[i] === trials && share ? share[0] : 0), 0);
    const other = numberText(Math.round(1000 * Math.max(0, 1 - alone)) / 10);
    const rest =
        alone > 0 ? `${other} % that none explains alone come from parameters together, and from noise.` : '';
    names.forEach((i, row) => {
      const [mean, deviation] = shares[i] ?? [0, 0], y = places.frame.top + 4 + row * 26;
      c.fillStyle = colour('accent');
      c.fillRect(places.frame.left, y, Math.max(1, places.x(mean) - places.frame.left), 16);
      c.strokeStyle = colour('text');
      c.lineWidth = 1.3;
      const [a, b] = [places.x(Math.max(0, mean - deviation)), places.x(Math.min(1, mean + deviation))];
      p.line(a, y + 8, b, y + 8);
      p.line(a, y + 4, a, y + 12);
      p.line(b, y + 4, b, y + 12);
      c.fillStyle = colour('text');
      c.textAlign = 'right';
      c.textBaseline = 'middle';
      c.fillText(fitted(c, view.parameters[i].name, left - 10), places.frame.left - 7, y + 8);
      c.textAlign = 'left';
      c.fillText(texts[i], b + 8, y + 8);
      const others = among(i) ? 'It is absent from all others.' : rest;
      p.area(
          0, y - 4, p.size[0], 26, undefined,
          shares[i] ? `${view.parameters[i].name} alone explains ${numberText(100 * mean)} % ± ${
                          numberText(100 * deviation)} of the variance${among(i)}.\n${others}` :
                      undefined);
    });
  }, {label: 'Importance of each parameter'});
  return () => plot.update();
}

function makeMarginals(figure, view, rung) {
  const grid = element('div', {class: 'grid'});
  figure.append(grid);
  if (!rung()) {
    const plot = new Plot(grid, 40, (p) => p.say(tooFew(view)));
    return () => plot.update();
  }
  const plots = view.parameters.map((parameter, i) => {
    const place = element('div');
    grid.append(place);
    const scale = parameterScale(parameter);
    const text = (share) => (parameter.choices ? choiceText : numberText)(scale.value(share));
    return new Plot(place, 170, (p) => {
      if (!rung().marginals[i])
        return p.say(`${parameter.name}: in ${rung().present[i]} ${view.compared}, too few to tell.`);
      const all = rung().marginals.filter((points) => points).flat();
      const y = view.metricScale(extent(all.flatMap(([mean, deviation]) => [mean - deviation, mean + deviation])));
      const places = p.axes(scale, y, {xName: parameter.name, right: 8});
      const points = rung().marginals[i];
      const x = (k) => places.frame.left + ((k + 0.5) / points.length) * places.frame.width;
      const c = p.context;
      c.strokeStyle = c.fillStyle = colour('accent');
      if (parameter.scale === 'choice') {
        points.forEach(([mean, deviation], k) => {
          c.lineWidth = 2;
          p.line(x(k), places.y(mean - deviation), x(k), places.y(mean + deviation));
          p.dot(x(k), places.y(mean), 5, {fill: colour('accent')});
        });
      } else {
        c.globalAlpha = 0.22;
        c.beginPath();
        points.forEach(
            ([mean, deviation], k) =>
                (k ? c.lineTo(x(k), places.y(mean + deviation)) : c.moveTo(x(k), places.y(mean + deviation))));
        for (let k = points.length - 1; k >= 0; --k) c.lineTo(x(k), places.y(points[k][0] - points[k][1]));
        c.fill();
        c.globalAlpha = 1;
        c.lineWidth = 2;
        c.beginPath();
        points.forEach(([mean], k) => (k ? c.lineTo(x(k), places.y(mean)) : c.moveTo(x(k), places.y(mean))));
        c.stroke();
      }
      points.forEach(
          ([mean, deviation], k) => p.mark(
              x(k), places.y(mean), undefined,
              `${parameter.name} = ${text((k + 0.5) / points.length)}\n${view.metric} = ${numberText(mean)} ± ${
                  numberText(deviation)}`));
    }, {label: `${view.metric} over ${parameter.name}, averaged over all other parameters`});
  });
  return () => plots.forEach((plot) => plot.update());
}

function makePair(figure, view, rung) {
  const key = (pair) => `${pair.first} ${pair.second}`;
  const chosen = () => rung()?.pairs.find((pair) => key(pair) === choice()) ?? rung()?.pairs[0];
  const rangeOf = (pair) => extent(pair.means.flat()) || [0, 1];
  const isFlat = ([low, high]) => high - low <= 1e-9 * Math.abs(high);
  const plot = new Plot(figure, () => (rung()?.pairs.length ? 300 : 40), (p) => {
    const pair = chosen();
    if (!pair) return p.say(rung() ? 'Fewer than two parameters vary in all trials: there is no pair.' : tooFew(view));
    const [first, second] = [view.parameters[pair.first], view.parameters[pair.second]];
    const [sx, sy] = [parameterScale(first), parameterScale(second)];
    const places = p.axes(sx, sy, {xName: first.name, yName: second.name, grid: false});
    const [low, high] = rangeOf(pair);
    const scale = view.metricScale([low, high], 0);
    const [columns, rows] = [pair.means.length, pair.means[0].length];
    const colours = isFlat([low, high]) ? [colour('idle'), colour('idle')] : levelColours('w').slice(0, 5);
    const c = p.context, {frame} = places;
    // Twelve steps of colour, so that their edges read as contours.
    const steps = 12;
    const smooth = first.scale !== 'choice' && second.scale !== 'choice';
    const at = (u, v) => {
      if (!smooth)
        return pair.means[Math.min(columns - 1, Math.floor(u * columns))][Math.min(rows - 1, Math.floor(v * rows))];
      const [a, b] =
          [Math.min(columns - 1, Math.max(0, u * columns - 0.5)), Math.min(rows - 1, Math.max(0, v * rows - 0.5))];
      const [i, j] = [Math.min(columns - 2, Math.floor(a)), Math.min(rows - 2, Math.floor(b))];
      const m = pair.means, [s, t] = [a - i, b - j];
      return (m[i][j] * (1 - s) + m[i + 1][j] * s) * (1 - t) + (m[i][j + 1] * (1 - s) + m[i + 1][j + 1] * s) * t;
    };
    const [nx, ny] = smooth ? [84, 84] : [columns, rows];
    for (let i = 0; i < nx; ++i) {
      for (let j = 0; j < ny; ++j) {
        const mean = at((i + 0.5) / nx, (j + 0.5) / ny);
        c.fillStyle = shareColour(Math.round(view.goodness(mean, scale) * steps) / steps, colours);
        // Whole pixels: no seams.
        const [x0, x1] = [i, i + 1].map((k) => Math.round(frame.left + (k / nx) * frame.width));
        const [y0, y1] = [j + 1, j].map((k) => Math.round(frame.bottom - (k / ny) * frame.height));
        c.fillRect(x0, y0, x1 - x0, y1 - y0);
      }
    }
    p.area(
        frame.left, frame.top, frame.width, frame.height, undefined,
        `${view.metric} from ${numberText(low)} to ${numberText(high)}, averaged over all other parameters`);
    // Dots of a choice stay in its part of the axis, however many there are.
    const roomOf = ({choices}, length) => (choices ? Math.min(18, 0.6 * length / choices.length) : 0);
    const draw = view.fairDraw(view.ranked, 400);
    sayDrawn(figure, view.selected.size ? {} : {'': draw});  // of a selection, nothing else is drawn
    for (const trial of draw.trials) {
      const weight = view.weight(trial.id);
      if (!weight) continue;
      const place = [
        places.x(view.parameter(trial, pair.first)) + spread(trial) * roomOf(first, frame.width),
        places.y(view.parameter(trial, pair.second)) + spread(trial) * roomOf(second, frame.height)
      ];
      c.lineWidth = weight === 2 ? 2 : 1;
      p.dot(...place, weight === 2 ? 6 : 2.6, {fill: weight === 2 ? colour('best') : '#ffffffcc', stroke: '#10141acc'});
      p.mark(...place, trial.id, () => view.text(trial.id));
    }
  }, {label: 'The metric over two parameters', onTrial: (trial, more) => view.select(trial, more)});
  const pairs = rung()?.pairs || [];
  const name = (pair) => `${view.parameters[pair.first].name} × ${view.parameters[pair.second].name}`;
  const redraw = () => {
    if (chosen()) legend(figure, view.qualityLegend('w', isFlat(rangeOf(chosen()))));
    plot.update();
  };
  const options = pairs.map((pair) => [key(pair), name(pair)]);
  const choice = pairs.length > 1 ? chooser(figure, view, 'Pair', options, redraw) : () => undefined;
  redraw();
  view.onChange(() => plot.update());
  return redraw;
}
