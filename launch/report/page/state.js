// A sweep, and what its reader has chosen: every chart of the sweep follows.

class SweepView {
  constructor(data) {
    Object.assign(this, data);
    this.column = Object.fromEntries(this.columns.map((name, i) => [name, i]));
    this.sign = this.goal === 'maximize' ? -1 : 1;
    this.metricColumn = this.columns.indexOf(this.metric_column);
    this.trials = this.rows.map((row, id) => ({
                                  id,
                                  row,
                                  status: row[this.column.status],
                                  resource: row[this.column.resource],
                                  workers: row[this.column.workers],
                                  value: this.metricColumn < 0 ? null : row[this.metricColumn],
                                  rung: 0,
                                }));
    for (const trial of this.trials) {
      trial.rung = this.rungs.filter((rung) => trial.resource >= rung.at).length;
    }
    this.ranked = this.trials.filter((t) => finite(t.value) && t.status !== 'failed')
                      .sort((a, b) => this.sign * (a.value - b.value) || a.id - b.id);
    this.ranked.forEach((trial, i) => {
      trial.rank = i;
    });
    this.selected = new Set();
    this.filters = {status: '', rung: 0, ranges: new Map()};
    this.window = null;  // of time, in the charts over time
    this.listeners = [];
    this.shown = this.trials;
    this.parameterColumns = this.parameters.map((parameter) => this.columns.indexOf(parameter.column));
  }

  /** Takes over what the reader chose in an older view of the same sweep, if there was one. */
  keep(older) {
    if (!older) return;
    for (const id of older.selected) this.selected.add(id);
    this.filters = older.filters;
    this.window = older.window;
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

  /** The trial that is so many ranks better or worse than the selected one. */
  step(by) {
    if (!this.ranked.length) return;
    const now = this.selected.size ? this.trials[[...this.selected][0]].rank : undefined;
    const next = now === undefined ? 0 : Math.min(this.ranked.length - 1, Math.max(0, now + by));
    this.selected = new Set([this.ranked[next].id]);
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
    this.changed();
  }

  get isFiltered() {
    return this.shown.length < this.trials.length;
  }
  shows(id) {
    return !this.isShown || this.isShown[id] === 1;
  }

  /** How strongly a trial is drawn: selected ones stand out, filtered ones nearly vanish. */
  weight(id) {
    if (this.selected.size) return this.selected.has(id) ? 2 : 0;
    return this.shows(id) ? 1 : 0;
  }

  text(id) {
    const trial = this.trials[id];
    const parameters = this.parameters.map((p, i) => `${p.name} = ${numberText(this.parameter(trial, i))}`);
    return [
      `Trial ${id}: ${trial.status} after ${trial.resource}`, `${this.metric} = ${numberText(trial.value)}`,
      ...parameters.slice(0, 12)
    ].join('\n');
  }

  /** The values that charts show. Few of a search's trials may be far off: then the axis leaves them out. */
  valueRange() {
    return this.rangeOf(this.trials.map((t) => t.value));
  }
  rangeOf(all) {
    const values = all.filter(finite).sort((a, b) => a - b);
    if (!values.length) return [0, 1];
    const [low, high] = [values[0], values[values.length - 1]];
    const [q5, q95] = [quantile(values, 0.05), quantile(values, 0.95)];
    const room = 1.5 * (q95 - q5) || Infinity;
    return padded(this.sign > 0 ? [low, Math.min(high, q95 + room)] : [Math.max(low, q5 - room), high]);
  }

  /** From the worst of the usual values, 0, to the best, 1. */
  goodness(value) {
    this.range ??= this.valueRange();
    const share = (value - this.range[0]) / (this.range[1] - this.range[0]);
    return this.sign > 0 ? 1 - share : share;
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
  const status = element(
      'select', {
        'aria-label': 'Status',
        onchange: () => {
          view.filters.status = status.value;
          view.filter();
        }
      },
      element('option', {value: ''}, 'any status'), ...statuses.map((s) => element('option', {value: s}, s)));
  const rung = element(
      'select', {
        'aria-label': 'Rung',
        onchange: () => {
          view.filters.rung = Number(rung.value);
          view.filter();
        }
      },
      element('option', {value: 0}, 'any rung'),
      ...view.rungs.map((r, i) => element('option', {value: i + 1}, `reached ${r.at}`)));
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
  status.value = view.filters.status;
  if (!status.value) view.filters.status = '';  // no trial has that status any more
  rung.value = String(view.filters.rung);
  place.append('Show', status, rung, clear, chosen);
  view.onChange(() => {
    const ids = [...view.selected];
    const trial = ids.length === 1 ? view.trials[ids[0]] : null;
    chosen.textContent = trial ? `Trial ${trial.id}${trial.rank === undefined ? '' : ` (rank ${trial.rank + 1})`}: ${
                                     view.metric} ${numberText(trial.value)}, ${trial.status} after ${trial.resource}` :
        ids.length ? `${ids.length} trials are selected` :
                     `${view.shown.length} of ${view.trials.length} trials`;
  });
}
