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

  async function update() {
    if (paused || busy || !behind || document.hidden) return;
    [busy, behind] = [true, false];
    try {
      const answer = await fetch('./', {cache: 'no-store'});
      if (answer.ok) show(new DOMParser().parseFromString(await answer.text(), 'text/html'));
    } catch {
      behind = true;  // the next event comes as soon as there is a connection
    }
    busy = false;
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
