import { byId, make } from './live-elements.js';
import { compact, count, moneyRange, ms, plural, share } from './live-numbers.js';

/** @import { LiveStates } from '../plain-page.ts' */
/** @import { LiveTotals, SavedRange, UpstreamState } from '../live-totals.ts' */
/** @typedef {LiveStates & { totals: LiveTotals, upstreams: readonly UpstreamState[] }} LiveState */

/** @type {(state: LiveState) => void} */
export function showState(state) {
  const tiles = tilesOf(state.totals).map(([label, value, detail]) =>
    make('div', {}, make('dt', { text: label }), make('dd', { text: value }), make('dd', { text: detail })),
  );
  byId('totals', HTMLElement).replaceChildren(...tiles);
  const states = statesOf(state).map(([name, text, isGood]) => {
    const said = make('span', { class: isGood ? 'good' : 'bad', text: isGood ? text : `⚠ ${text}` });
    return make('li', {}, make('span', { class: 'soft', text: `${name}: ` }), said);
  });
  byId('states', HTMLElement).replaceChildren(...states);
}

/** @type {(totals: LiveTotals) => [string, string, string][]} */
function tilesOf(totals) {
  const saved = totals.tokensBefore - totals.tokensAfter;
  return [
    ['Exchanges', count.format(totals.exchanges), `${count.format(totals.deferring)} with deferred tools`],
    [
      'Tool tokens saved',
      totals.tokensBefore === 0 ? '–' : share.format(saved / totals.tokensBefore),
      `${compact.format(saved)} of ${compact.format(totals.tokensBefore)}, estimated from bytes`,
    ],
    [
      savedLabel(totals.saved),
      totals.estimated === 0 ? '–' : moneyRange(totals.saved, totals.currency),
      `list prices, ${count.format(totals.estimated)} of ${plural(totals.deferring, 'exchange')} priced`,
    ],
    ['Searches', count.format(totals.searches), `${count.format(totals.failedSearches)} failed`],
    [
      'Added latency, mean',
      totals.deferring === 0 ? '–' : ms(totals.addedMs / totals.deferring),
      'over exchanges with deferred tools',
    ],
    ['Failed exchanges', count.format(totals.failed), `since ${new Date(totals.since).toLocaleString()}`],
  ];
}

/** @type {(saved: SavedRange) => string} */
function savedLabel({ low, high }) {
  if (low < 0) return high <= 0 ? 'Lost, estimated' : 'Saved (−: lost), estimated';
  return 'Saved, estimated';
}

/** @type {Record<NonNullable<LiveStates['breaker']>, [string, boolean]>} */
const SELECTOR = {
  closed: ['working', true],
  half_open: ['being tried again', false],
  open: ['failing; searches show all tools', false],
};

/** @type {(state: LiveState) => [string, string, boolean][]} */
function statesOf({ breaker, sessionStore, isSessionStoreUp, upstreams, openExchanges }) {
  const working = sessionStore === 'redis' ? 'working' : 'in memory';
  return [
    ['Selector', ...(breaker === undefined ? /** @type {const} */ (['not asked', true]) : SELECTOR[breaker])],
    [
      sessionStore === 'redis' ? 'Redis' : 'Sessions',
      isSessionStoreUp ? working : 'failing; conversations forget what was found',
      isSessionStoreUp,
    ],
    ...upstreams.map(upstreamLine),
    ['Open exchanges', count.format(openExchanges), true],
  ];
}

/** @type {(upstream: UpstreamState) => [string, string, boolean]} */
function upstreamLine({ name, isWorking, status, cause }) {
  const failure = [status, cause].filter(Boolean).join(' ') || 'a broken response';
  return [`Upstream ${name}`, isWorking ? 'working' : `last failed with ${failure}`, isWorking];
}
