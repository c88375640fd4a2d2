// The table of all trials: sorted by a click on a heading, page by page, linked with the charts.

function makeTrials(place, view) {
  const perPage = 100;
  let sortBy = view.metricColumn < 0 ? 0 : view.metricColumn, ascending = view.sign > 0, page = 0, sorted = [];
  const body = element('tbody');
  const heads = view.columns.map((name, i) => {
    const button = element(
        'button', {
          type: 'button',
          onclick: () => {
            if (sortBy === i)
              ascending = !ascending;
            else
              [sortBy, ascending] = [i, true];
            page = 0;
            sort();
          }
        },
        name);
    return element('th', {scope: 'col'}, button);
  });
  const table = element(
      'table', {class: 'trials', 'data-sweep': place.dataset.sweep}, element('thead', {}, element('tr', {}, ...heads)),
      body);
  const position = element('span');
  const turn = (by) => element(
      'button', {
        type: 'button',
        onclick: () => {
          page += by;
          show();
        }
      },
      by < 0 ? '‹ previous' : 'next ›');
  const [back, forth] = [turn(-1), turn(1)];
  place.append(element('div', {class: 'pager'}, back, position, forth), element('div', {class: 'scroll'}, table));

  function sort() {
    const key = (trial) => trial.row[sortBy];
    const compare = (a, b) => {
      const [p, q] = [key(a), key(b)];
      if (p === null || q === null) return (p === null) - (q === null);
      return (ascending ? 1 : -1) *
          (typeof p === 'number' && typeof q === 'number' ? p - q : String(p).localeCompare(String(q))) ||
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
    page = Math.min(Math.max(0, page), pages - 1);
    const rows = sorted.slice(page * perPage, (page + 1) * perPage);
    body.replaceChildren(...rows.map((trial) => {
      const row = element(
          'tr', {'data-trial': trial.id, tabindex: 0},
          ...trial.row.map(
              (value, i) => element('td', {'data-value': JSON.stringify(value)}, view.cellText(trial, i))));
      return row;
    }));
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

  const choose = (event) => {
    const row = event.target.closest('tr');
    if (row) view.select(Number(row.dataset.trial), event.shiftKey || event.ctrlKey || event.metaKey);
  };
  body.addEventListener('click', choose);
  body.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') choose(event);
  });
  let last = view.shown;
  view.onChange(() => {
    if (view.shown !== last) {
      last = view.shown;
      page = 0;
      return sort();
    }
    const [chosen] = view.selected;
    if (view.selected.size === 1 && !body.querySelector(`[data-trial="${chosen}"]`)) {
      const at = sorted.findIndex((trial) => trial.id === chosen);
      if (at >= 0) {
        page = Math.floor(at / perPage);
        return show();
      }
    }
    mark();
  });
  sort();
}
