import { byId, compact, money } from './page-dom.js';

/** @import { ExchangeRow } from '../exchange-row.ts' */
/** @import { TimePoint } from '../page.ts' */
/**
 * A series of a chart: a value for each point, between two ends, and the class of its colour.
 *
 * @typedef {{ readonly kind: string, readonly ends: (point: TimePoint) => readonly [number, number] }} Series
 */

const HEIGHT = 150;
const BOTTOM = 22;
const TOP = 14;
const LABEL_HEIGHT = 18;
/** Usual width of the labels of values. */
const USUAL_LEFT = 64;
/** Least width of a bar with its gap, in pixels: a thinner one is a hairline. */
const BAR_WIDTH = 10;
const MOST_POINTS = 48;

/**
 * Adds up rows over equal parts of their time.
 *
 * @param {readonly ExchangeRow[]} rows
 * @returns {TimePoint[]}
 */
export function addUp(rows) {
  if (rows.length === 0) return [];
  const times = rows.map(({ time }) => time);
  const start = times.reduce((least, time) => Math.min(least, time), Number.POSITIVE_INFINITY);
  const end = times.reduce((most, time) => Math.max(most, time), 0) + 1;
  const step = (end - start) / MOST_POINTS;
  const points = Array.from({ length: MOST_POINTS }, (_, at) =>
    emptyPoint(start + at * step, start + (at + 1) * step),
  );
  for (const row of rows) {
    const point = points[Math.min(MOST_POINTS - 1, Math.floor((row.time - start) / step))];
    if (point === undefined) continue;
    const isDeferring = row.arm === 'full' && row.deferred > 0;
    point.kept += isDeferring ? row.tokensAfter : row.tokensBefore;
    point.saved += isDeferring ? Math.max(0, row.tokensBefore - row.tokensAfter) : 0;
    point.low += row.savedLow ?? 0;
    point.high += row.savedHigh ?? 0;
  }
  return points;
}

/** @type {(start: number, end: number) => { -readonly [Field in keyof TimePoint]: TimePoint[Field] }} */
const emptyPoint = (start, end) => ({ start, end, kept: 0, saved: 0, low: 0, high: 0 });

/**
 * Joins neighbours until there are at most as many as bars fit.
 *
 * @type {(points: readonly TimePoint[], most: number) => TimePoint[]}
 */
function join(points, most) {
  const size = Math.ceil(points.length / Math.max(1, most));
  return Array.from({ length: Math.ceil(points.length / size) }, (_, at) => {
    const group = points.slice(at * size, (at + 1) * size);
    const sum = emptyPoint(group[0]?.start ?? 0, group.at(-1)?.end ?? 0);
    for (const { kept, saved, low, high } of group) {
      sum.kept += kept;
      sum.saved += saved;
      sum.low += low;
      sum.high += high;
    }
    return sum;
  });
}

/** @type {readonly Series[]} */
const TOKENS = [
  { kind: 'kept', ends: ({ kept }) => [0, kept] },
  { kind: 'saved', ends: ({ kept, saved }) => [kept, kept + saved] },
];

/**
 * Savings are above zero, losses below it: solid where they are sure, lighter up to the other bound.
 *
 * @type {readonly Series[]}
 */
const MONEY = [
  { kind: 'saved open', ends: ({ low, high }) => [Math.max(0, low), Math.max(0, high)] },
  { kind: 'lost open', ends: ({ low, high }) => [Math.min(0, low), Math.min(0, high)] },
  { kind: 'saved', ends: ({ low }) => [0, Math.max(0, low)] },
  { kind: 'lost', ends: ({ high }) => [0, Math.min(0, high)] },
];

/**
 * Draws the two charts: tokens of tools, and the money that deferring saved or lost.
 *
 * @param {readonly TimePoint[]} points
 * @param {string} currency
 */
export function drawCharts(points, currency) {
  const used = points.filter(({ kept, saved, low, high }) => kept + saved > 0 || low !== 0 || high !== 0);
  byId('chart', HTMLElement).hidden = used.length === 0;
  if (used.length === 0) return;
  const sum = (/** @type {(point: TimePoint) => number} */ part) =>
    points.reduce((total, point) => total + part(point), 0);
  draw(byId('chart-tokens', HTMLElement), points, TOKENS, {
    name: (value) => compact.format(value),
    label: `Tokens of tools: ${compact.format(sum(({ kept }) => kept))} sent, ${compact.format(sum(({ saved }) => saved))} kept out of prompts.`,
  });
  const [least, most] = [sum(({ low }) => low), sum(({ high }) => high)];
  const isPriced = points.some(({ low, high }) => low !== 0 || high !== 0);
  byId('chart-money-card', HTMLElement).hidden = !isPriced;
  if (!isPriced) return;
  draw(byId('chart-money', HTMLElement), points, MONEY, {
    name: (value) => (value === 0 ? '0' : money(value, currency)),
    label: `Money: deferring ${savedWords({ low: least, high: most }, currency)}.`,
  });
}

/**
 * Says what was saved or lost; a loss is never called saved.
 *
 * @param {{ low: number, high: number }} range
 * @param {string} currency
 */
export function savedWords({ low, high }, currency) {
  const [least, most] = [money(Math.abs(low), currency), money(Math.abs(high), currency)];
  if (low < 0 && high > 0) return `between ${least} lost and ${most} saved`;
  if (high <= 0 && low < 0) return least === most ? `lost ${least}` : `lost ${most} to ${least}`;
  return least === most ? `saved ${most}` : `saved ${least} to ${most}`;
}

/**
 * Draws bars over time in place of what the element holds, as wide as it is.
 *
 * @param {HTMLElement} place
 * @param {readonly TimePoint[]} given
 * @param {readonly Series[]} series
 * @param {{ name: (value: number) => string, label: string }} words
 */
function draw(place, given, series, { name, label }) {
  const width = Math.max(240, place.clientWidth || 520);
  const points = join(given, Math.min(MOST_POINTS, Math.floor((width - USUAL_LEFT) / BAR_WIDTH)));
  const values = points.flatMap((point) => series.flatMap(({ ends }) => [...ends(point)]));
  const range = { low: Math.min(0, ...values), high: Math.max(0, ...values) || 1e-9 };
  const left = Math.max(...[range.low, 0, range.high].map((value) => 8 * name(value).length + 8));
  const yOf = (/** @type {number} */ value) =>
    TOP + ((range.high - value) / (range.high - range.low)) * (HEIGHT - TOP - BOTTOM);
  const svg = svgElement('svg', {
    viewBox: `0 0 ${width} ${HEIGHT}`,
    height: HEIGHT,
    role: 'img',
    'aria-label': label,
  });
  for (const value of new Set([range.low, 0, range.high])) {
    const y = yOf(value);
    svg.append(svgElement('line', { x1: left, x2: width, y1: y, y2: y }));
    const isCovered = value !== 0 && Math.abs(y - yOf(0)) < LABEL_HEIGHT;
    if (!isCovered)
      svg.append(svgElement('text', { x: left - 6, y: y + 4, 'text-anchor': 'end' }, name(value)));
  }
  const step = (width - left) / points.length;
  points.forEach((point, at) => {
    for (const { kind, ends } of series) {
      const [from, to] = ends(point);
      if (from === to) continue;
      const [top, bottom] = [yOf(Math.max(from, to)), yOf(Math.min(from, to))];
      svg.append(
        svgElement('rect', {
          class: kind,
          x: (left + at * step).toFixed(1),
          y: top.toFixed(1),
          width: Math.max(2, step - 1.5).toFixed(1),
          height: Math.max(1, bottom - top).toFixed(1),
        }),
      );
    }
  });
  const [first, last] = [points[0], points.at(-1)];
  svg.append(svgElement('text', { x: left, y: HEIGHT - 4 }, dayAndTime(first?.start ?? 0)));
  if (width - left > 260)
    svg.append(
      svgElement('text', { x: width, y: HEIGHT - 4, 'text-anchor': 'end' }, dayAndTime(last?.end ?? 0)),
    );
  place.replaceChildren(svg);
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
