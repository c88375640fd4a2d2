// Puts the parts together.

const data = JSON.parse(document.getElementById('data').textContent);
const views = data.sweeps.map((sweep) => new SweepView(sweep));
const makers = {
  gantt: makeGantt,
  best: makeBest,
  curves: makeCurves,
  parallel: makeParallel,
  slices: makeSlices,
  rungs: makeRungs,
  trials: makeTrials
};

/** Makes the charts of a sweep; those of a closed one wait until it is opened. */
function makeCharts(article) {
  if (article.dataset.made) return;
  article.dataset.made = true;
  const view = views[Number(article.dataset.sweep)];
  const places =
      Object.fromEntries([...article.querySelectorAll('[data-chart]')].map((place) => [place.dataset.chart, place]));
  makeFilters(article.querySelector('[data-filters]'), view);
  for (const [kind, make] of Object.entries(makers)) make(places[kind], view);
  makeImportance(places, view);
  view.filter();
}

for (const figure of document.querySelectorAll('[data-chart=\'gantt-common\']')) {
  makeCommonGantt(figure, views[Number(figure.dataset.sweep)], views);
}
for (const article of document.querySelectorAll('details.sweep')) {
  if (article.open) makeCharts(article);
  article.addEventListener('toggle', () => {
    if (article.open) makeCharts(article);
  });
}

document.addEventListener('keydown', (event) => {
  if (event.target.closest('input, select, textarea') || event.ctrlKey || event.metaKey || event.altKey) return;
  const open =
      [...document.querySelectorAll('details.sweep[open]')].map((article) => views[Number(article.dataset.sweep)]);
  const keys = {
    ArrowRight: (view) => view.step(1),
    ArrowLeft: (view) => view.step(-1),
    b: (view) => {
      view.selected.clear();
      view.step(0);
    },
    Escape: (view) => view.selectNone(),
  };
  const act = keys[event.key] || keys[event.key.toLowerCase()];
  if (act && open.length) {
    open.forEach(act);
    event.preventDefault();
  }
});
document.documentElement.dataset.ready = true;
