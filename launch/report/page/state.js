// A sweep, and what its reader has chosen: every chart of the sweep follows.

class SweepView {
  constructor(data) {
    Object.assign(this, data);
    this.column = Object.fromEntries(this.columns.map((name, i) => [name, i]));
    this.sign = this.goal === 'maximize' ? -1 : 1;
    this.metricColumn = this.columns.indexOf(this.metric_column);
    this.isRepeated = this.ranked_by === 'judged';  // trials are repetitions of configurations
    this.compared = this.isRepeated ? 'configurations' : 'trials';
    this.trials = this.rows.map((row, id) => ({
                                    id,
                                    row,
                                    status: row[this.column.status],
                                    resource: row[this.column.resource],
                                    workers: row[this.column.workers],
                                    reason: row[this.column.reason],
                                    value: this.metricColumn < 0 ? null : row[this.metricColumn],
                                    rung: this.rungs_reached[id],  // how many it has reached
                                    lot: lotOf(id),
                                }));
    this.ranked = this.ranking.map((id) => this.trials[id]);
    this.ranked.forEach((trial, i) => {
      trial.rank = i;
    });
    this.selected = new Set();
    this.filters = {status: '', rung: 0, ranges: new Map()};
    this.window = null;  // of time, in the charts over time
    this.choices = {};   // of words beside charts, by chart and name; only what the reader chose
    this.table = {column: undefined, ascending: true, page: 0};
    this.listeners = [];
    this.shown = this.trials;
    this.shownRanked = this.ranked;
    this.parameterColumns = this.parameters.map((parameter) => this.columns.indexOf(parameter.column));
    this.parameters.forEach((parameter, i) => {
      parameter.isWhole =
          this.trials.every((t) => this.parameter(t, i) === null || Number.isInteger(this.parameter(t, i)));
    });
    const values = this.withoutDiverged(this.trials.map((t) => t.value)).sort((a, b) => a - b);
    this.canBeLog =
        values[0] > 0 && this.curves.every((curve) => curve[1].every((value) => !finite(value) || value > 0));
    // A share, such as an accuracy, is read on a linear axis: what matters is near 1.
    const isShare = this.sign < 0 && values[values.length - 1] <= 1;
    this.isLogUnlessChosen = !isShare && quantile(values, 0.95) > 50 * quantile(values, 0.05);
  }

  /** Takes over what the reader chose in an older view of the same sweep, if there was one. */
  keep(older) {
    if (!older) return;
    for (const id of older.selected) this.selected.add(id);
    for (const part of ['filters', 'window', 'choices', 'table']) this[part] = older[part];
    // The axis of the metric grows with new values. A filter has parts of it, and keeps to its values.
    const {ranges} = this.filters, range = ranges.get(this.metricAxis);
    const moved = (share) => (share > 0 && share < 1 ? this.goodness(older.valueAt(share)) : share);
    if (range) ranges.set(this.metricAxis, range.map(moved));
  }

  onChange(listener) {
    this.listeners.push(listener);
  }
  changed() {
    for (const listener of this.listeners) listener();
  }

  parameter(trial, i) {
    return trial.row[this.parameterColumns[i]];
  }
  /** Whether a condition leaves the parameter out of this trial: null may also be one of its choices. */
  isAbsent(trial, i) {
    return this.parameter(trial, i) === null && !this.parameters[i].choices?.includes(null);
  }
  cellText(trial, column) {
    const i = trial.row[column] === null ? this.parameterColumns.indexOf(column) : -1;
    return i < 0 || this.isAbsent(trial, i) ? numberText(trial.row[column]) : choiceText(null);
  }

  select(id, more = false) {
    if (more)
      this.selected.has(id) ? this.selected.delete(id) : this.selected.add(id);
    else if (this.selected.size === 1 && this.selected.has(id))
      this.selected.clear();
    else
      this.selected = new Set([id]);
    this.changed();
  }

  selectNone() {
    this.selected.clear();
    this.changed();
  }

  /** Selects the trial that is so many ranks better or worse than the selected one, of those that pass the filter. */
  step(by) {
    const ranked = this.shownRanked;
    const now = this.selected.size ? this.trials[[...this.selected][0]].rank : undefined;
    const better = now === undefined ? 0 : ranked.filter((trial) => trial.rank < now).length;
    // From a trial that the filter hides, the next worse one takes its place.
    const next = now === undefined ? 0 : by > 0 && ranked[better]?.rank !== now ? better + by - 1 : better + by;
    const found = ranked[Math.min(ranked.length - 1, Math.max(0, next))];
    if (found) this.selected = new Set([found.id]);
    this.changed();
  }

  filter() {
    const {status, rung, ranges} = this.filters;
    const scales = this.axes ? this.axes() : [];
    this.shown = this.trials.filter((trial) => {
      if (status && trial.status !== status) return false;
      if (trial.rung < rung) return false;
      for (const [axis, [low, high]] of ranges) {
        const share = scales[axis].share(trial);
        if (!(share >= low && share <= high)) return false;
      }
      return true;
    });
    this.isShown = new Uint8Array(this.trials.length);
    for (const trial of this.shown) this.isShown[trial.id] = 1;
    this.shownRanked = this.ranked.filter((trial) => this.shows(trial.id));
    this.changed();
  }

  get isFiltered() {
    return this.shown.length < this.trials.length;
  }
  shows(id) {
    return !this.isShown || this.isShown[id] === 1;
  }

  /**
   * Which of these trials a chart draws that has room for some `most`: those that are selected, the best ones, and of
   * all others a fair draw. Trials that the filter hides come first, to lie below; they do not count, and take no room
   * from the others. `drawn` and `of` say how many of the others there are.
   */
  fairDraw(trials, most) {
    const best = new Set(this.shownRanked.slice(0, 20));
    const draw = (all) =>
        all.filter((t) => t.lot * all.length < most || best.has(t) || this.selected.has(t.id));
    const shown = trials.filter((trial) => this.shows(trial.id));
    const drawn = draw(shown);
    const hidden = this.isFiltered ? draw(trials.filter((trial) => !this.shows(trial.id))) : [];
    return {trials: [...hidden, ...drawn], drawn: drawn.length, of: shown.length};
  }

  /** How strongly a trial is drawn: selected ones stand out, filtered ones nearly vanish. */
  weight(id) {
    if (this.selected.size) return this.selected.has(id) ? 2 : 0;
    return this.shows(id) ? 1 : 0;
  }

  text(id) {
    const trial = this.trials[id];
    const parameters = this.parameters.map((p, i) => `${p.name} = ${this.cellText(trial, this.parameterColumns[i])}`);
    return [
        `Trial ${id}: ${trial.status} after ${trial.resource}`, `${this.metric} = ${numberText(trial.value)}`,
        ...parameters.slice(0, 12), ...(parameters.length > 12 ? [`… and ${parameters.length - 12} more`] : [])
    ].join('\n');
  }

  /** For captions: how many trials a chart of values lacks. */
  get lackingText() {
    const lacking = this.trials.filter((t) => t.resource > 0 && !finite(t.value)).length;
    return lacking ? `; ${lacking} of ${this.trials.length} trials have no finite value` : '';
  }

  /** Whether values of the metric stand on logarithmic axes: it may span orders of magnitude. */
  get isLog() {
    return this.canBeLog && (this.choices.scale ? this.choices.scale === 'log' : this.isLogUnlessChosen);
  }
  setScale(kind) {
    this.choices.scale = kind;
    this.valueScaleNow = undefined;
    this.filters.ranges.delete(this.metricAxis);  // it was a part of the axis as it was
    this.filter();
  }

  /** A scale of the metric over these values, with a little room around them. */
  metricScale([low, high], room = 0.05) {
    return this.isLog && low > 0 ? logScale(...padded([low, high].map(Math.log), room).map(Math.exp)) :
                                   linearScale(...padded([low, high], room));
  }

  /**
   * The values that are not a thousand times as large as what three quarters of them come to: a training that diverged
   * reports 1e30, beside which nothing else could be told apart. (`largest_shown` is the same for terminals.)
   */
  withoutDiverged(all) {
    const values = all.filter(finite).sort((a, b) => Math.abs(a) - Math.abs(b));
    const [low, high] = extent(values) ?? [0, 0], best = this.sign > 0 ? low : high;
    const most = 1000 * Math.max(Math.abs(values[Math.floor(0.75 * (values.length - 1))]), Math.abs(best));
    return most > 0 ? values.filter((value) => Math.abs(value) <= most) : values;
  }

  /** The range of values that charts show. Few of a search's trials may be far off: then the axis leaves them out. */
  rangeOf(all) {
    const [to, back] = this.isLog ? [Math.log, Math.exp] : [Number, Number];
    const values = this.withoutDiverged(all).map(to).sort((a, b) => a - b);
    if (!values.length) return [0, 1];
    const [low, high] = [values[0], values[values.length - 1]];
    const [q5, q95] = [quantile(values, 0.05), quantile(values, 0.95)];
    const room = 1.5 * (q95 - q5) || Infinity;
    return (this.sign > 0 ? [low, Math.min(high, q95 + room)] : [Math.max(low, q5 - room), high]).map(back);
  }
  /** The scale of the trials' last values. */
  get valueScale() {
    return (this.valueScaleNow ??= this.metricScale(this.rangeOf(this.trials.map((t) => t.value))));
  }
  get isFlat() {
    return this.ranked.every((trial) => trial.value === this.ranked[0].value);
  }

  /** From the worst of a scale's values, 0, to the best, 1. */
  goodness(value, scale = this.valueScale) {
    return this.sign > 0 ? 1 - scale.share(value) : scale.share(value);
  }
  /** The value that is as good as this. */
  valueAt(goodness) {
    return this.valueScale.value(this.sign > 0 ? 1 - goodness : goodness);
  }
  /** The number of the metric's axis among those of the configurations: the last one. */
  get metricAxis() {
    return Math.min(this.parameters.length, mostParallel);
  }
  /** The colours of values; a neutral one where all are the same. */
  qualityPaint(set) {
    const colours = levelColours(set).slice(0, 5), none = colour('muted'), isFlat = this.isFlat;
    return (value) => (isFlat || !finite(value) ? none : shareColour(this.goodness(value), colours));
  }
  qualityLegend(set, isFlat = this.isFlat) {
    return isFlat ? [['muted', 'no difference']] : [[`${set}0`, `worse ${this.metric}`], [`${set}4`, 'better']];
  }
  rungLegend(set, trials = this.trials) {
      const reached = this.rungs.slice(0, 5).map(
          (rung, i) => [`${set}${i + 1}`, `reached ${rung.at}${i === 4 && this.rungs.length > 5 ? ' or more' : ''}`]);
      const isBefore = reached.length && trials.some((trial) => trial.rung === 0);
      return isBefore ? [[`${set}0`, `before ${this.rungs[0].at}`], ...reached] : reached;
  }

  timeWindow() {
    return this.window || [0, this.elapsed || 1];
  }
  zoom(from, to) {
    this.window = from === undefined || !(to - from > this.elapsed * 1e-4) ?
        null :
        [Math.max(0, from), Math.min(this.elapsed, to)];
    this.changed();
  }
}

/** Status, rung, and what is selected: the bar above the charts. */
function makeFilters(place, view) {
  const statuses = [...new Set(view.trials.map((t) => t.status))].sort();
  const {filters} = view;
  if (!statuses.includes(filters.status)) filters.status = '';  // no trial has that status any more
  const status = choiceList('Status', [['', 'any status'], ...statuses.map((s) => [s, s])], filters.status, (value) => {
    view.filters.status = value;
    view.filter();
  });
  const rungs = view.rungs.map((rung, i) => [i + 1, `reached ${rung.at}`]);
  const rung = choiceList('Rung', [[0, 'any rung'], ...rungs], filters.rung, (value) => {
    view.filters.rung = Number(value);
    view.filter();
  });
  const scales = [['linear', 'linear'], ['log', 'log']];
  const scale = choiceList('Scale', scales, view.isLog ? 'log' : 'linear', (kind) => view.setScale(kind));
  const clear = element(
      'button', {
        type: 'button',
        onclick: () => {
          status.value = '';
          rung.value = '0';
          view.filters = {status: '', rung: 0, ranges: new Map()};
          view.selected.clear();
          view.window = null;
          view.filter();
        }
      },
      'Show all');
  const chosen = element('span', {class: 'chosen', 'aria-live': 'polite'});
  place.append('Show', status, ...(rungs.length ? [rung] : []), clear);
  if (view.canBeLog) place.append(element('label', {}, 'Scale ', scale));
  place.append(chosen);
  view.onChange(() => {
    const ids = [...view.selected];
    const trial = ids.length === 1 ? view.trials[ids[0]] : null;
    const hidden = ids.filter((id) => !view.shows(id)).length;
    const also = !hidden ? '' : trial ? ' (the filter hides it)' : ` (the filter hides ${hidden})`;
    chosen.textContent = (trial ? `Trial ${trial.id}${trial.rank === undefined ? '' : ` (rank ${trial.rank + 1})`}: ${
                                     view.metric} ${numberText(trial.value)}, ${trial.status} after ${trial.resource}` :
        ids.length ? `${ids.length} trials are selected` :
                     `${view.shown.length} of ${view.trials.length} trials`) + also;
  });
}
