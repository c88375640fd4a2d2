// Small things that all parts of the page use.

/** An element with attributes and children. Text is always text: nothing that a sweep holds becomes HTML. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on'))
      made.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== false)
      made.setAttribute(key, value === true ? '' : value);
  }
  made.append(...children);
  return made;
}

/** A list of choices, pairs of a value and its text. `onChoice` gets the value, as text, that its reader has chosen. */
function choiceList(name, options, chosen, onChoice) {
  return element(
      'select', {'aria-label': name, onchange: ({target}) => onChoice(target.value)},
      ...options.map(([value, text]) => element('option', {value, selected: value === chosen}, text)));
}

const finite = (value) => typeof value === 'number' && Number.isFinite(value);

/** A number as people read it: 5 significant digits, and all of those before the point, as other commands print it. */
function numberText(value) {
  if (value === null || value === undefined) return '–';
  if (typeof value !== 'number') return choiceText(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e7) return String(value);
  const size = Math.abs(value);
  if (size >= 1e4 && size < 1e7) return String(Math.round(value));
  return size >= 1e-4 && size < 1e4 ? String(Number(value.toPrecision(5))) :
                                      value.toExponential(4).replace(/\.?0+e/, 'e');
}

/** A choice of a parameter as the sweep file could have it: null is one, and so are lists and maps. */
const choiceText = (choice) => (typeof choice === 'object' ? JSON.stringify(choice) : String(choice));

/** Seconds as a clock shows them. */
function clockText(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (n) => String(n).padStart(2, '0');
  if (seconds < 10) return `${numberText(Math.round(seconds * 1000) / 1000)} s`;
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return h ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** A colour of page.css, as it is now: light, dark or printed. */
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/**
 * The colours of levels, 0 to 5: numbers of workers, rungs, or qualities. Colour-blind people can tell them apart. Set
 * 'w' is for areas, and set 'm' for lines and dots on the ground, which need more contrast.
 */
const levelColours = (set) => [0, 1, 2, 3, 4, 5].map((level) => colour(`${set}${level}`));
const workersLevel = (workers) => Math.floor(Math.log2(Math.max(1, workers)));

/** Black or white, whichever reads better on #31ba75 or rgb(49,186,117) (contrast of WCAG 2). */
function inkOn(paint) {
  const channels = paint.startsWith('#') ? [1, 3, 5].map((k) => parseInt(paint.slice(k, k + 2), 16)) :
                                           paint.match(/\d+/g).map(Number);
  const [r, g, b] = channels.map((channel) => (channel / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? '#10141a' : '#ffffff';
}

/** Between two of these colours, for a share from 0 to 1. */
function shareColour(share, colours) {
  const at = Math.min(1, Math.max(0, share)) * (colours.length - 1);
  const i = Math.min(colours.length - 2, Math.floor(at));
  const channels = (text) => [1, 3, 5].map((k) => parseInt(text.slice(k, k + 2), 16));
  const [a, b] = [channels(colours[i]), channels(colours[i + 1])];
  return `rgb(${a.map((c, k) => Math.round(c + (b[k] - c) * (at - i))).join(',')})`;
}

function extent(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (finite(value)) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return low <= high ? [low, high] : null;
}

function quantile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.round(share * (sorted.length - 1))))];
}

/** Round numbers between two numbers, some `most` of them. */
function ticksOf(low, high, most = 6) {
  if (!(high > low)) return [low];
  const raw = (high - low) / most;
  const decade = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((f) => f * decade).find((s) => s >= raw * 0.85);
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; ++i)
    ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}

/** Round numbers without a fraction. */
const wholeTicks = (low, high, most) => ticksOf(low, high, most).filter(Number.isInteger);

/** The texts of ticks, with as many digits as tell one from the next. */
function tickTexts(ticks) {
  if (ticks.length < 2) return ticks.map(numberText);
  const power = (value) => Math.floor(Math.log10(Math.abs(value) || 1) + 1e-9);
  const step = Number((ticks[1] - ticks[0]).toPrecision(6));
  const digits = step % 10 ** power(step) ? 1 - power(step) : -power(step);
  const most = Math.max(...ticks.map(Math.abs));
  return ticks.map(
      (tick) => tick && (most >= 1e7 || most < 1e-4) ?
          tick.toExponential(Math.min(15, Math.max(0, digits + power(tick)))).replace(/\.?0+e/, 'e') :
          String(Number(tick.toFixed(Math.min(15, Math.max(0, digits))))));
}

/** Round times: steps that a clock has. */
function timeTicks(low, high, most = 6) {
  const days = [1, 2, 5, 10, 20, 50, 100, 200].map((count) => count * 86400);
  const steps =
      [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, ...days];
  const step = steps.find((s) => (high - low) / s <= most);
  if (!step || high - low < 5) return ticksOf(low, high, most);
  const ticks = [];
  for (let t = Math.ceil(low / step) * step; t <= high; t += step) ticks.push(t);
  return ticks;
}

/** Powers of ten, fewer where there are too many, and 2 and 5 between them where there is room. */
function logTicks(low, high, most = 6) {
  if (high / low < 8) return ticksOf(low, high, most);
  const ticks = [], stride = Math.ceil(Math.log10(high / low) / most);
  for (const factors of [[1], [1, 3], [1, 2, 5]]) {
    const found = [];
    for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); ++e) {
      for (const f of e % stride ? [] : factors) {
        const tick = Number((f * 10 ** e).toPrecision(6));
        if (tick >= low * 0.9999 && tick <= high * 1.0001) found.push(tick);
      }
    }
    if (found.length > most && ticks.length > 1) break;
    ticks.splice(0, ticks.length, ...found);
  }
  return ticks.length ? ticks : [low, high];
}

/**
 * A scale: from values to a share of an axis, and back. Where numbers differ only in their last digits, its ticks show
 * what they have above an `offset`.
 */
function linearScale(low, high, ticks = ticksOf) {
  const width = high > low ? high - low : 1;
  const unit = 10 ** Math.ceil(Math.log10(width));
  const offset = Math.max(Math.abs(low), Math.abs(high)) > 1e5 * width ? Math.floor(low / unit) * unit : 0;
  return {
    low,
    high,
    offset,
    share: (value) => (value === null ? NaN : (value - low) / width),  // null would count as 0
    value: (share) => low + share * width,
    ticks: (most) => {
      const found = ticks(low - offset, high - offset, most), texts = tickTexts(found);
      return found.map((at, i) => ({at: at + offset, text: texts[i]}));
    },
  };
}
function timeScale(low, high) {
  const text = (at) => clockText(at) + (at < 10 ? '' : String(Number((at % 1).toFixed(3))).slice(1));
  return {
    ...linearScale(low, high),
    offset: 0,
    ticks: (most) => timeTicks(low, high, most).map((at) => ({at, text: text(at)}))
  };
}
function logScale(low, high) {
  const [a, b] = [Math.log(low), Math.log(high)];
  const text = (at) => (at < 1e5 ? numberText(at) : at.toExponential());
  return {
    low,
    high,
    share: (value) => (value === null ? NaN : (Math.log(value) - a) / (b - a || 1)),
    value: (share) => Math.exp(a + share * (b - a)),
    ticks: (most) => {
      const found = logTicks(low, high, most), texts = high / low < 8 ? tickTexts(found) : found.map(text);
      return found.map((at, i) => ({at, text: texts[i]}));
    },
  };
}
/** How much of texts is the same up to a sign, such as the folder of their files, if it is long. */
function commonBeginning(texts) {
  let length = texts.length > 1 ? texts[0].length : 0;
  const isCommon = () =>
      /[^A-Za-z0-9]/.test(texts[0][length - 1]) && texts.every((text) => text.startsWith(texts[0].slice(0, length)));
  while (length && !isCommon()) --length;
  return length > 7 ? length : 0;
}
function choiceScale(choices) {
  const names = choices.map((choice) => JSON.stringify(choice));
  const words = choices.filter((choice) => typeof choice === 'string');
  const begin = commonBeginning(words), end = commonBeginning(words.map((word) => [...word].reverse().join('')));
  const isShort = words.every((word) => begin + end < word.length);
  const shown = (choice) => typeof choice !== 'string' || !isShort ?
      choiceText(choice) :
      (begin ? '…' : '') + choice.slice(begin, choice.length - end) + (end ? '…' : '');
  return {
    low: 0,
    high: choices.length,
    share: (value) => {
      const i = names.indexOf(JSON.stringify(value));
      return i < 0 ? NaN : (i + 0.5) / choices.length;
    },
    value: (share) => choices[Math.min(choices.length - 1, Math.max(0, Math.floor(share * choices.length)))],
    /** All of them on so many pixels, unless each had less than the `least`; `room` is for the text of one. */
    ticks: (most, pixels, least) => {
      const each = pixels / choices.length, step = Math.max(1, Math.ceil(least / each));
      return choices.map((at) => ({at, text: shown(at), room: step * each - 4})).filter((_, i) => i % step === 0);
    },
  };
}
/** The scale of a parameter. A few values of an unbounded distribution lie beyond it, and are shown at its ends. */
function parameterScale({scale, choices, low, high, isWhole}) {
  if (scale === 'choice') return choiceScale(choices);
  const found = scale === 'log' ? logScale(low, high) : linearScale(low, high, isWhole ? wholeTicks : ticksOf);
  return {...found, share: (value) => Math.min(1, Math.max(0, found.share(value)))};
}

/** A little room around values, so that none lies on the frame. */
function padded([low, high], share = 0.05) {
  const room = high > low ? (high - low) * share : Math.abs(low) * 0.1 || 1;
  return [low - room, high + room];
}

/**
 * A number from 0 to 1 by which a trial is drawn where not all are. It is scattered: every n-th trial would fall in
 * step with a grid, and with `spread`.
 */
function lotOf(id) {
  let bits = id + 1;
  for (const factor of [0x85ebca6b, 0xc2b2ae35]) bits = Math.imul(bits ^ (bits >>> 16), factor);
  return ((bits ^ (bits >>> 13)) >>> 0) / 2 ** 32;
}

/** Half a unit to either side, another for each trial: trials with the same choice do not hide each other. */
const spread = (trial) => ((trial.id * 0.618034) % 1) - 0.5;
