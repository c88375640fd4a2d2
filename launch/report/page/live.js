// A page that `crescendo top --web` serves: it follows the sweep.

/** Calls `show` with each new document that the server has, unless its reader has paused it. */
function follow(show) {
  const state = element('span', {role: 'status'}, 'live');
  const pause = element(
      'button', {
        type: 'button',
        onclick: () => {
          paused = !paused;
          pause.textContent = paused ? 'Continue' : 'Pause';
          tell();
          update();
        }
      },
      'Pause');
  document.getElementById('live').append(state, ' ', pause);
  let [paused, behind, busy, lost] = [false, false, false, false];

  function tell() {
    state.textContent = lost ? 'not connected: is `crescendo top` still running?' : paused ? 'paused' : 'live';
  }

  // A list of choices may be open from a press until its reader has chosen or left it, and a drag over a chart lasts
  // until it is let go. An update would end them.
  let pressed = null;
  for (const kind of ['pointerdown', 'keydown'])
    document.addEventListener(kind, ({target}) => (pressed = target.closest?.('main select')));
  for (const kind of ['change', 'focusout'])
    document.addEventListener(kind, () => {
      pressed = null;
      update();
    });
  for (const kind of ['pointerup', 'pointercancel']) document.addEventListener(kind, () => update());
  const isDragging = () => [...document.querySelectorAll('main canvas')].some(({plot}) => plot.from);
  const isChoosing = () => (pressed && pressed === document.activeElement) || isDragging();

  async function update() {
    if (paused || busy || !behind || document.hidden || isChoosing()) return;
    [busy, behind] = [true, false];
    try {
      const answer = await fetch('./', {cache: 'no-store'});
      const newer = answer.ok && new DOMParser().parseFromString(await answer.text(), 'text/html');
      if (isChoosing())
        behind = true;
      else if (newer)
        show(newer);
    } catch {
      [busy, behind] = [false, true];  // the next event comes as soon as there is a connection
      return;
    }
    busy = false;
    update();  // what has changed meanwhile: its event found us busy
  }

  let shown;
  const source = new EventSource('events');
  source.onopen = () => {
    lost = false;
    tell();
  };
  source.onerror = () => {
    lost = true;
    tell();
  };
  source.onmessage = (event) => {
    behind ||= event.data !== shown;
    shown = event.data;
    update();
  };
  document.addEventListener('visibilitychange', update);
}
