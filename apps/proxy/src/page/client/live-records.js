import { outcomeOf, savedOf, toolsOf } from './live-columns.js';
import { count, ms, plural, words } from './live-numbers.js';

/** @import { ExchangeRecord } from '@winnow/core' */
/** @import { SavedRange } from '../live-totals.ts' */
/** @typedef {ExchangeRecord['searches'][number]} SearchRecord */

/** @type {(search: Pick<SearchRecord, 'queryText' | 'queryChars' | 'outcome' | 'ms'>) => string} */
export function searchLine({ queryText, queryChars, outcome, ms: time }) {
  const asked = queryText === undefined ? `A query of ${plural(queryChars, 'character')}` : `“${queryText}”`;
  return `${asked}: ${words(outcome)} in ${ms(time)}`;
}

/** @type {(record: ExchangeRecord) => [string, string][]} */
function expectedOf({ expected }) {
  if (expected === undefined) return [];
  const text = `${count.format(expected.freedTokens)} tokens freed, ${Math.round(100 * expected.bill)} % of the bill`;
  return [['A conversation, estimated', text]];
}

/** @type {(record: ExchangeRecord, saved: SavedRange | undefined, currency: string) => [string, string][]} */
export function factsOf(record, saved, currency) {
  const { usage, toolBytes, tools, outcome, status, cause } = record;
  const shown = tools.total - tools.deferred + tools.loaded;
  const cached =
    usage?.cachedInputTokens === undefined ? '' : `, ${count.format(usage.cachedInputTokens)} cached`;
  return [
    ['Outcome', outcomeOf({ outcome, status, cause, restored: record.restoredBecause })],
    [
      'Tools',
      toolsOf({ ...record, tools: tools.total, shown, deferred: tools.deferred, plan: record.planReason }),
    ],
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
    ['Saved, estimated', savedOf({ savedLow: saved?.low, savedHigh: saved?.high }, currency)],
    ...expectedOf(record),
    [
      'Time',
      `${ms(record.totalMs)}, ${ms(record.addedMs)} of it added, ${ms(record.hiddenRoundsMs)} hidden rounds`,
    ],
    ['Session', record.session ?? 'none'],
    ['Request id', record.requestId],
  ];
}
