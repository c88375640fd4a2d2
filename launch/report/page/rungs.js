// At each rung: the values of the trials that were judged there, and who continued.

function makeRungs(figure, view) {
  const value = (curve, at) => {
    const i = curve[0].findIndex((resource) => resource >= at);
    return i < 0 ? null : {value: curve[1][i]};
  };
  const plot = new Plot(figure, () => (view.rungs.some((rung) => rung.reached > 0) ? 280 : 40), (p) => {
    const rungs = view.rungs.filter((rung) => rung.reached > 0);
    if (!rungs.length) return p.say('No trial has reached a rung yet.');
    const judged = rungs.map((rung, i) => {
      const found = view.trials.filter((trial) => trial.rung > i)
                        .map((trial) => [trial, value(view.curves[trial.id], rung.at)]);
      return new Map(found.filter(([, report]) => finite(report?.value)));
    });
    const values = judged.flatMap((reports) => [...reports.values()].map((report) => report.value));
    const y = view.metricScale(view.rangeOf(values));
    const scale = choiceScale(rungs.map((rung) => rung.at));
    const places = p.axes(scale, y, {xName: 'rung at resource', yName: view.metric, top: 30});
    const levels = levelColours('m');
    const c = p.context, room = places.frame.width / rungs.length * 0.72;
    const placeOf = (trial, at, report) => [places.x(at) + room * spread(trial), places.y(report.value)];
    const draws = {};
    p.clip();
    rungs.forEach((rung, i) => {
      for (const [trial, report] of judged[i]) p.isBeyond(...placeOf(trial, rung.at, report), trial.id);
      // At each rung for itself, and all alike: so there are as many who were cut among the dots as among the trials.
      const draw = draws[rung.at] = view.fairDraw([...judged[i].keys()], 2000);
      for (const trial of draw.trials) {
        const weight = view.weight(trial.id);
        const found = judged[i].get(trial);
        const at = placeOf(trial, rung.at, found);
        const cut = view.cut_at[trial.id] === rung.at;
        const paint = levels[Math.min(5, trial.rung)];
        c.globalAlpha = weight === 2 ? 1 : weight ? 0.8 : 0.15;
        c.lineWidth = 1.3;
        const edge = p.atEdge(...at, trial.id, cut ? colour('muted') : paint);
        if (edge === at[1])
          p.dot(...at, weight === 2 ? 6 : 3, cut ? {stroke: colour('muted'), fill: colour('ground')} : {fill: paint});
        if (weight === 2) p.dot(at[0], edge, 7.5, {stroke: colour('text')});
        if (weight)
          p.mark(
              at[0], edge, trial.id,
              () => `${view.metric} = ${numberText(found.value)} at ${rung.at}\n${view.text(trial.id)}`);
      }
      c.globalAlpha = 1;
    });
    p.unclip();
    sayBeyond(figure);
    sayDrawn(figure, draws);
    c.fillStyle = colour('text');
    c.textAlign = 'center';
    c.textBaseline = 'bottom';
    // In words where there is room. No number is cut: without its middle it would be another one.
    const forms = [[' of ', ' continued', ' reached the end'], [' of ', '', ''], ['/', '', ''], [' of\n', '', '']].map(
        ([of, onwards, end]) => rungs.map(
            ({at, went_on: wentOn, reached}) =>
                (at < view.max ? `${wentOn}${of}${reached}${onwards}` : `${reached}${end}`).split('\n')));
    const fits = (lines) =>
        lines.every((line) => c.measureText(line).width <= places.frame.width / rungs.length - 6);
    const titles = forms.find((each) => each.every(fits)) ?? forms[forms.length - 1];
    titles.forEach((lines, i) => {
      if (!fits(lines)) return;
      lines.reverse().forEach((line, k) => c.fillText(line, places.x(rungs[i].at), places.frame.top - 6 - 12 * k));
    });
  }, {label: 'Values at each rung', onTrial: (trial, more) => view.select(trial, more)});
  const lacking = view.trials.filter((trial) => view.rungs.some((rung) => {
    const found = value(view.curves[trial.id], rung.at);
    return found && !finite(found.value);
  }));
  if (lacking.length)
    figure.querySelector('figcaption span').textContent +=
        ` ${lacking.length} of ${view.trials.length} trials lack a dot, because a value is not finite.`;
  const reached = view.trials.filter((trial) => trial.rung > 0);
  if (reached.length) legend(figure, view.rungLegend('m', reached));
  view.onChange(() => plot.update());
}
