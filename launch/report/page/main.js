// Puts the parts together.

let views = [];
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
  for (const [kind, make] of Object.entries(makers))
    if (places[kind]) make(places[kind], view);
  makeImportance(places, view);
  view.filter();
}

/** Makes everything that the page's data has. What the reader chose before stays. */
function makeAll() {
  const before = views;
  views = JSON.parse(document.getElementById('data').textContent).sweeps.map((sweep) => new SweepView(sweep));
  views.forEach((view, i) => view.keep(before[i]));
  for (const figure of document.querySelectorAll('[data-chart=\'gantt-common\']')) {
    makeCommonGantt(figure, views[Number(figure.dataset.sweep)], views);
  }
  for (const article of document.querySelectorAll('details.sweep')) {
    if (article.open) makeCharts(article);
    article.addEventListener('toggle', () => {
      if (article.open) makeCharts(article);
    });
  }
}

/** Boxes that scroll, by names that they have in a newer document as well. */
const scrollers = () => new Map([...document.querySelectorAll('main .scroll')].map(
    (box) => [`${box.closest('[id]').id} ${box.firstElementChild.className}`, box]));

/** What tells a control from all others, in a newer document as well. */
const controlName = (control) => [control.closest('[id]')?.id, control.closest('[data-chart]')?.dataset.chart,
                                  control.tagName, control.ariaLabel ?? control.dataset.trial ?? control.textContent]
                                     .join();

/** Puts what a newer document holds in place of what is here. What its reader chose, scrolled and focused stays. */
function replaceAll(newer) {
  const [data, newData] = [document, newer].map((page) => page.getElementById('data'));
  if (data.textContent === newData.textContent) return;
  const opened = [...document.querySelectorAll('main details')].map((details) => details.open);
  const [x, y] = [scrollX, scrollY];
  const scrolled = [...scrollers()].map(([name, box]) => [name, box.scrollLeft, box.scrollTop]);
  const focused = document.activeElement.closest('main :focus') && controlName(document.activeElement);
  newer.querySelectorAll('noscript').forEach((place) => place.remove());  // there, they are ordinary elements
  newer.querySelectorAll('main details').forEach((details, i) => {
    details.open = opened[i] ?? details.open;
  });
  endOldPlots();
  const told = tipAt;
  showTip('', 0, 0);
  document.querySelector('main').replaceWith(newer.querySelector('main'));
  data.textContent = newData.textContent;
  makeAll();
  const boxes = scrollers();
  for (const [name, left, top] of scrolled) boxes.get(name)?.scrollTo(left, top);
  const controls = focused ? [...document.querySelectorAll('main :is(select, button, summary, tr)')] : [];
  controls.find((control) => controlName(control) === focused)?.focus({preventScroll: true});
  scrollTo(x, y);
  for (const {plot} of document.querySelectorAll('main canvas')) plot.drawIfSeen();
  if (told) document.elementFromPoint(told.clientX, told.clientY)?.plot?.tell(told);
  document.documentElement.dataset.updates = Number(document.documentElement.dataset.updates ?? 0) + 1;
}

makeAll();
if (document.getElementById('live')) follow(replaceAll);

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest('input, select, textarea, .scroll:focus, pre:focus')) return;  // which take keys themselves
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
