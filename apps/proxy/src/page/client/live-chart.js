import { compact, money } from './live-numbers.js';

/** @import { LiveRow } from '../live-row.ts' */
/** @typedef {{ start: number, kept: number, saved: number, spent: number, low: number, high: number }} Bucket */

const BUCKETS = 48;
const WIDTH = 560;
const HEIGHT = 130;
const LEFT = 72;
const BOTTOM = 22;
const TOP = 18;
const LABEL_HEIGHT = 18;

/**
 * Adds up rows over equal parts of their time.
 *
 * @param {readonly LiveRow[]} rows
 * @returns {{ buckets: Bucket[], start: number, end: number }}
 */
export function addUp(rows) {
  const times = rows.map(({ time }) => time);
  const start = times.reduce((least, time) => Math.min(least, time), Number.POSITIVE_INFINITY);
  const end = times.reduce((most, time) => Math.max(most, time), 0);
  const step = Math.max(1, (end - start + 1) / BUCKETS);
  /** @type {Bucket[]} */
  const buckets = Array.from({ length: BUCKETS }, (_, at) => ({
    start: start + at * step,
    kept: 0,
    saved: 0,
    spent: 0,
    low: 0,
    high: 0,
  }));
  for (const row of rows) {
    const bucket = buckets[Math.min(BUCKETS - 1, Math.floor((row.time - start) / step))];
    if (bucket === undefined) continue;
    const isDeferring = row.arm === 'full' && row.deferred > 0;
    bucket.kept += isDeferring ? row.tokensAfter : row.tokensBefore;
    bucket.saved += isDeferring ? Math.max(0, row.tokensBefore - row.tokensAfter) : 0;
    bucket.spent += row.cost ?? 0;
    bucket.low += row.savedLow ?? 0;
    bucket.high += row.savedHigh ?? 0;
  }
  return { buckets, start, end };
}

/**
 * Draws tool tokens over time: forwarded, and saved on top of them.
 *
 * @param {ReturnType<typeof addUp>} sums
 */
export function drawTokens({ buckets, start, end }) {
  const most = Math.max(1, ...buckets.map(({ kept, saved }) => kept + saved));
  const svg = frame({ low: 0, high: most, start, end, name: (value) => compact.format(value) });
  buckets.forEach(({ kept, saved }, at) => {
    svg.append(bar(at, 0, kept, { low: 0, high: most }, 'kept'));
    svg.append(bar(at, kept, kept + saved, { low: 0, high: most }, 'saved'));
  });
  const total = sumOf(buckets, ({ kept }) => kept);
  const held = sumOf(buckets, ({ saved }) => saved);
  svg.setAttribute(
    'aria-label',
    `Tool tokens: ${compact.format(total)} forwarded, ${compact.format(held)} saved.`,
  );
  return svg;
}

/**
 * Draws money over time: what was spent, and the range of what was saved, which may be a loss.
 *
 * @param {ReturnType<typeof addUp>} sums
 * @param {string} currency
 */
export function drawMoney({ buckets, start, end }, currency) {
  const high = Math.max(...buckets.map(({ spent, high }) => Math.max(spent, high)), 1e-9);
  const low = Math.min(0, ...buckets.map(({ low }) => low));
  const name = (/** @type {number} */ value) => (value === 0 ? '0' : money(value, currency));
  const svg = frame({ low, high, start, end, name });
  buckets.forEach((bucket, at) => {
    svg.append(bar(at, 0, bucket.spent, { low, high }, 'spent', 0, 0.5));
    if (bucket.low !== 0 || bucket.high !== 0) {
      svg.append(bar(at, bucket.low, bucket.high, { low, high }, 'saved', 0.5, 1));
    }
  });
  const [least, most] = [sumOf(buckets, (one) => one.low), sumOf(buckets, (one) => one.high)];
  const spent = sumOf(buckets, (one) => one.spent);
  svg.setAttribute(
    'aria-label',
    `Money: ${money(spent, currency)} spent, between ${money(least, currency)} and ${money(most, currency)} saved.`,
  );
  return svg;
}

/** @type {(buckets: readonly Bucket[], part: (bucket: Bucket) => number) => number} */
const sumOf = (buckets, part) => buckets.reduce((sum, bucket) => sum + part(bucket), 0);

/** @type {(value: number, range: { low: number, high: number }) => number} */
const yOf = (value, { low, high }) => TOP + ((high - value) / (high - low)) * (HEIGHT - TOP - BOTTOM);

/**
 * Returns a bar of one bucket between two values; at least a pixel high where they differ from the axis.
 *
 * @param {number} at
 * @param {number} from
 * @param {number} to
 * @param {{ low: number, high: number }} range
 * @param {string} kind
 */
function bar(at, from, to, range, kind, left = 0, right = 1) {
  const step = (WIDTH - LEFT) / BUCKETS;
  const [top, bottom] = [yOf(Math.max(from, to), range), yOf(Math.min(from, to), range)];
  return svgElement('rect', {
    class: kind,
    x: (LEFT + (at + left) * step).toFixed(1),
    y: top.toFixed(1),
    width: Math.max(1, step * (right - left) - 0.6).toFixed(1),
    height: (from === to ? 0 : Math.max(1, bottom - top)).toFixed(1),
  });
}

/** @type {(axes: { low: number, high: number, start: number, end: number, name: (value: number) => string }) => SVGElement} */
function frame({ low, high, start, end, name }) {
  const svg = svgElement('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img' });
  for (const value of new Set([low, 0, high])) {
    const y = yOf(value, { low, high });
    svg.append(svgElement('line', { x1: LEFT, x2: WIDTH, y1: y, y2: y }));
    const isCovered = value !== 0 && Math.abs(y - yOf(0, { low, high })) < LABEL_HEIGHT;
    if (!isCovered)
      svg.append(svgElement('text', { x: LEFT - 6, y: y + 4, 'text-anchor': 'end' }, name(value)));
  }
  svg.append(svgElement('text', { x: LEFT, y: HEIGHT - 4 }, dayAndTime(start)));
  svg.append(svgElement('text', { x: WIDTH, y: HEIGHT - 4, 'text-anchor': 'end' }, dayAndTime(end)));
  return svg;
}

/** @type {(time: number) => string} */
const dayAndTime = (time) =>
  new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short', hour12: false });

/** @type {(tag: string, attributes: Record<string, string | number>, text?: string) => SVGElement} */
function svgElement(tag, attributes, text) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  if (text !== undefined) element.textContent = text;
  return element;
}
