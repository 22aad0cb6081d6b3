import { savedWords } from './page-chart.js';
import { byId, compact, count, make, ms, plural, share } from './page-dom.js';

/** @import { ExchangeTotals, UpstreamState } from '../exchange-row.ts' */
/**
 * The states of a proxy's dependencies.
 *
 * @typedef {{ readonly breaker: 'closed' | 'half_open' | 'open' | undefined, readonly sessionStore: 'memory' | 'redis',
 *   readonly isSessionStoreUp: boolean, readonly openExchanges: number, readonly totals: ExchangeTotals,
 *   readonly upstreams: readonly UpstreamState[] }} LiveState
 */

/** @type {(totals: ExchangeTotals) => void} */
export function showTotals(totals) {
  const tiles = tilesOf(totals).map(([label, value, detail]) =>
    make('div', {}, make('dt', { text: label }), make('dd', { text: value }), make('dd', { text: detail })),
  );
  byId('totals', HTMLElement).replaceChildren(...tiles);
}

/** @type {(state: LiveState) => void} */
export function showState(state) {
  showTotals(state.totals);
  const states = statesOf(state).map(([name, text, isGood]) => {
    const said = make('span', { class: isGood ? 'good' : 'bad', text: isGood ? text : `⚠ ${text}` });
    return make('li', {}, make('span', { class: 'soft', text: `${name}: ` }), said);
  });
  byId('states', HTMLElement).replaceChildren(...states);
}

/**
 * Returns what a reader asks for first: context, then money.
 *
 * @type {(totals: ExchangeTotals) => [string, string, string][]}
 */
function tilesOf(totals) {
  const { deferring, deferredWell, tokensBefore, tokensAfter, leftAlone, failed, exchanges } = totals;
  const each = (/** @type {number} */ tokens) => compact.format(Math.round(tokens / deferredWell));
  /** @type {[string, string, string][]} */
  const tiles = [
    [
      'Tokens of tools in a request',
      deferredWell === 0 ? '–' : `${each(tokensBefore)} → ${each(tokensAfter)}`,
      deferredWell === 0
        ? 'no exchange with deferred tools yet'
        : `${share.format(1 - tokensAfter / Math.max(1, tokensBefore))} less in ${plural(deferredWell, 'exchange')}, searches included`,
    ],
    [
      'Money, estimated',
      totals.estimated === 0 ? '–' : savedWords(totals.saved, totals.currency),
      `list prices, ${count.format(totals.estimated)} of ${plural(deferring, 'exchange')} priced`,
    ],
    [
      'Exchanges',
      count.format(exchanges),
      `${count.format(deferring)} with deferred tools, ${count.format(failed)} failed`,
    ],
    ['Searches', count.format(totals.searches), searchNote(totals)],
    [
      'Added latency, mean',
      deferring === 0 ? '–' : ms(totals.addedMs / deferring),
      'over exchanges with deferred tools',
    ],
  ];
  if (leftAlone.exchanges > 0)
    tiles.splice(1, 0, ['Left alone', count.format(leftAlone.exchanges), leftAloneOf(leftAlone)]);
  return tiles;
}

/** @type {(totals: ExchangeTotals) => string} */
function searchNote({ searches, failedSearches, vainSearches }) {
  if (searches === 0) return 'models have not searched';
  return `${count.format(vainSearches)} found nothing, ${count.format(failedSearches)} failed`;
}

/** @type {(left: ExchangeTotals['leftAlone']) => string} */
function leftAloneOf({ exchanges, freedTokens, bill }) {
  const more = bill / exchanges - 1;
  const cost = more > 0 ? `cost about ${share.format(more)} more` : `cost about ${share.format(-more)} less`;
  return `deferring would free ${compact.format(Math.round(freedTokens / exchanges))} tokens in each and ${cost}; tools.goal: context defers anyway`;
}

/** @type {Record<NonNullable<LiveState['breaker']>, [string, boolean]>} */
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
