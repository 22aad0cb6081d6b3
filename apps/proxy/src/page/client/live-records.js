import { count, ms, plural, words } from './live-numbers.js';

/** @import { ExchangeRecord } from '@winnow/contract' */
/** @typedef {ExchangeRecord['searches'][number]} SearchRecord */

/** @type {(record: ExchangeRecord) => boolean} */
export const isFailed = ({ outcome, status }) =>
  outcome === 'failed' || (outcome === 'answered' && status !== undefined && status >= 400);

/** @type {(record: ExchangeRecord) => string} */
export function outcomeOf({ outcome, status, cause, restoredBecause }) {
  const parts = [outcome, status, cause].filter((part) => part !== undefined);
  const text = outcome === 'client_gone' ? 'client left' : parts.join(' ');
  return restoredBecause === undefined ? text : `${text}, restored: ${words(restoredBecause)}`;
}

/** @type {(record: ExchangeRecord) => string} */
export function toolsOf({ arm, tools, planReason }) {
  if (tools.total === 0) return planReason === 'not_read' ? 'not read' : 'none';
  if (tools.deferred === 0) return `${count.format(tools.total)}, all shown (${words(planReason)})`;
  const shown = `${count.format(tools.kept + tools.loaded)} of ${count.format(tools.total)}`;
  return arm === 'full' ? `${shown} shown` : `${shown} would be shown`;
}

/** @type {(record: ExchangeRecord) => string} */
export function searchesOf({ searches, newlyLoaded }) {
  if (searches.length === 0) return 'none';
  const found =
    newlyLoaded === undefined ? '' : `, ${plural(newlyLoaded.found + newlyLoaded.restored, 'tool')} loaded`;
  return `${count.format(searches.length)}${found}`;
}

/** @type {(search: Pick<SearchRecord, 'queryText' | 'queryChars' | 'outcome' | 'ms'>) => string} */
export function searchLine({ queryText, queryChars, outcome, ms: time }) {
  const asked = queryText === undefined ? `A query of ${plural(queryChars, 'character')}` : `“${queryText}”`;
  return `${asked}: ${words(outcome)} in ${ms(time)}`;
}

/** @type {(record: ExchangeRecord) => [string, string][]} */
function billsOf({ bills }) {
  if (bills === undefined) return [];
  const text = `${count.format(bills.direct)} tokens directly, ${count.format(bills.deferred)} deferring`;
  return [['A conversation, estimated', text]];
}

/** @type {(record: ExchangeRecord, saved: string) => [string, string][]} */
export function factsOf(record, saved) {
  const { usage, toolBytes } = record;
  const cached =
    usage?.cachedInputTokens === undefined ? '' : `, ${count.format(usage.cachedInputTokens)} cached`;
  return [
    ['Outcome', outcomeOf(record)],
    ['Tools', toolsOf(record)],
    ['Plan', words(record.planReason)],
    ['Arm', `${record.arm} (${words(record.armReason)})`],
    ['Upstream', record.upstream],
    ['Format', `${record.format}, ${record.isStream ? 'streamed' : 'whole'}`],
    ['Load mode', record.loadMode],
    ['Requests to the upstream', count.format(record.upstreamCalls)],
    [
      'Tool tokens, estimated',
      `${count.format(toolBytes.estimatedTokensBefore)} before, ${count.format(toolBytes.estimatedTokensAfter)} after`,
    ],
    [
      'Tokens, as counted',
      usage === undefined
        ? 'not told'
        : `${count.format(usage.inputTokens)} in, ${count.format(usage.outputTokens)} out${cached}`,
    ],
    ['Saved, estimated', saved],
    ...billsOf(record),
    [
      'Time',
      `${ms(record.totalMs)}, ${ms(record.addedMs)} of it added, ${ms(record.hiddenRoundsMs)} hidden rounds`,
    ],
    ['Session', record.session ?? 'none'],
    ['Request id', record.requestId],
  ];
}
