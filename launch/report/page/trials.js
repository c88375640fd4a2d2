// The table of all trials: sorted by a click on a heading, page by page, linked with the charts.

function makeTrials(place, view) {
  const perPage = 100;
  const {table: chosen} = view;
  let sorted = [];
  const sortedBy = () => {
    const column = view.columns.indexOf(chosen.column);
    if (column >= 0) return [column, chosen.ascending];
    const ranked = view.columns.indexOf(view.ranked_by);
    return ranked < 0 ? [0, true] : [ranked, view.sign > 0];
  };
  // Columns without any value take no room, unless they are of what the sweep searched.
  const isKept = (i) => i === view.metricColumn || view.parameterColumns.includes(i);
  const isEmpty = view.columns.map((_, i) => !isKept(i) && view.rows.every((row) => row[i] === null));
  const body = element('tbody');
  const heads = view.columns.map((name, i) => {
    const button = element(
        'button', {
          type: 'button',
          onclick: () => {
            const [column, ascending] = sortedBy();
            Object.assign(chosen, {column: name, ascending: column !== i || !ascending, page: 0});
            sort();
          }
        },
        name);
    return element('th', {scope: 'col', hidden: isEmpty[i]}, button);
  });
  const table = element(
      'table', {class: 'trials', 'data-sweep': place.dataset.sweep}, element('thead', {}, element('tr', {}, ...heads)),
      body);
  const position = element('span');
  const turn = (by) => element(
      'button', {
        type: 'button',
        onclick: () => {
          chosen.page += by;
          show();
        }
      },
      by < 0 ? '‹ previous' : 'next ›');
  const [back, forth] = [turn(-1), turn(1)];
  const box = element('div', {class: 'scroll'}, table);
  place.append(element('div', {class: 'pager'}, back, position, forth), box);

  function sort() {
    const [sortBy, ascending] = sortedBy();
    const key = (trial) => trial.row[sortBy];
    const compare = (a, b) => {
      const [p, q] = [key(a), key(b)];
      if (p === null || q === null) return (p === null) - (q === null);
      return (ascending ? 1 : -1) *
          (typeof p === 'number' && typeof q === 'number' ? p - q : choiceText(p).localeCompare(choiceText(q))) ||
          a.id - b.id;
    };
    sorted = [...view.shown].sort(compare);
    heads.forEach((head, i) => {
      head.setAttribute('aria-sort', i !== sortBy ? 'none' : ascending ? 'ascending' : 'descending');
      head.firstChild.textContent = view.columns[i] + (i !== sortBy ? '' : ascending ? ' ▲' : ' ▼');
    });
    show();
  }

  function show() {
    const pages = Math.max(1, Math.ceil(sorted.length / perPage));
    const page = (chosen.page = Math.min(Math.max(0, chosen.page), pages - 1));
    const rows = sorted.slice(page * perPage, (page + 1) * perPage);
    body.replaceChildren(...rows.map((trial) => element(
        'tr', {'data-trial': trial.id, tabindex: 0},
        ...trial.row.map(
            (value, i) => element(
                'td', {'data-value': JSON.stringify(value), hidden: isEmpty[i]}, view.cellText(trial, i))))));
    position.textContent = `${sorted.length ? page * perPage + 1 : 0} to ${
        Math.min(sorted.length, (page + 1) * perPage)} of ${sorted.length}`;
    back.disabled = page === 0;
    forth.disabled = page === pages - 1;
    mark();
  }

  function mark() {
    for (const row of body.children) {
      const isSelected = view.selected.has(Number(row.dataset.trial));
      row.classList.toggle('selected', isSelected);
      row.setAttribute('aria-selected', isSelected);
    }
  }

  let isOwn = false;  // a selection that is made here, where it is seen
  const choose = (event) => {
    const row = event.target.closest('tr');
    isOwn = true;
    if (row) view.select(Number(row.dataset.trial), event.shiftKey || event.ctrlKey || event.metaKey);
    isOwn = false;
  };
  body.addEventListener('click', choose);
  body.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();  // a space would scroll
      choose(event);
  });
  let last = null;
  view.onChange(() => {
    if (view.shown !== last) {
      if (last) chosen.page = 0;  // at first, the page may be one that the reader has chosen
      last = view.shown;
      return sort();
    }
    const [id] = view.selected;
    const at = view.selected.size === 1 && !isOwn ? sorted.findIndex((trial) => trial.id === id) : -1;
    if (at < 0) return mark();
    if (chosen.page !== Math.floor(at / perPage)) {
      chosen.page = Math.floor(at / perPage);
      show();
    }
    mark();
    // The box, and not the page: its reader looks at a chart.
    const row = body.children[at % perPage];
    box.scrollTop = row.offsetTop - (box.clientHeight - row.offsetHeight) / 2;
  });
}
