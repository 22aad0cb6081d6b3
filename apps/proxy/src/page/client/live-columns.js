import { clock, count, money, moneyRange, ms, plural, words } from './live-numbers.js';

/** @import { LiveRow } from '../live-row.ts' */
/**
 * A column of the table: its title, the text of its cells, and what it is sorted by.
 *
 * @typedef {{
 *   readonly name: string,
 *   readonly title: string,
 *   readonly text: (row: LiveRow, currency: string) => string,
 *   readonly order: (row: LiveRow) => number | string,
 * }} Column
 */

/** @type {readonly Column[]} */
export const COLUMNS = [
  { name: 'time', title: 'Time', text: ({ time }) => clock(time), order: ({ n }) => n },
  { name: 'model', title: 'Model', text: ({ model }) => model ?? '–', order: ({ model = '' }) => model },
  { name: 'format', title: 'Format', text: ({ format }) => format, order: ({ format }) => format },
  { name: 'tools', title: 'Tools', text: toolsOf, order: ({ tools }) => tools },
  { name: 'searches', title: 'Searches', text: searchesOf, order: ({ searches }) => searches },
  {
    name: 'rounds',
    title: 'Rounds',
    text: ({ rounds }) => count.format(rounds),
    order: ({ rounds }) => rounds,
  },
  { name: 'added', title: 'Added', text: ({ addedMs }) => ms(addedMs), order: ({ addedMs }) => addedMs },
  {
    name: 'cost',
    title: 'Cost',
    text: ({ cost }, currency) => (cost === undefined ? '–' : money(cost, currency)),
    order: ({ cost = -1 }) => cost,
  },
  {
    name: 'saved',
    title: 'Saved',
    text: savedOf,
    order: ({ savedLow: low, savedHigh: high }) =>
      low === undefined || high === undefined ? Number.NEGATIVE_INFINITY : low + high,
  },
  { name: 'outcome', title: 'Outcome', text: outcomeOf, order: outcomeOf },
];

/** @type {(row: Pick<LiveRow, 'arm' | 'tools' | 'shown' | 'deferred' | 'plan'>) => string} */
export function toolsOf({ arm, tools, shown, deferred, plan }) {
  if (tools === 0) return plan === 'not_read' ? 'not read' : 'none';
  if (deferred === 0) return `${count.format(tools)}, all shown (${words(plan)})`;
  const text = `${count.format(shown)} of ${count.format(tools)}`;
  return arm === 'full' ? `${text} shown` : `${text} would be shown`;
}

/** @type {(row: Pick<LiveRow, 'searches' | 'loaded'>) => string} */
function searchesOf({ searches, loaded }) {
  if (searches === 0) return 'none';
  return loaded === 0
    ? count.format(searches)
    : `${count.format(searches)}, ${plural(loaded, 'tool')} loaded`;
}

/** @type {(row: Pick<LiveRow, 'savedLow' | 'savedHigh'>, currency: string) => string} */
export function savedOf({ savedLow: low, savedHigh: high }, currency) {
  return low === undefined || high === undefined ? '–' : moneyRange({ low, high }, currency);
}

/** @type {(row: Pick<LiveRow, 'outcome' | 'status' | 'cause' | 'restored'>) => string} */
export function outcomeOf({ outcome, status, cause, restored }) {
  const parts = [outcome, status, cause].filter((part) => part !== undefined);
  const text = outcome === 'client_gone' ? 'client left' : parts.join(' ');
  return restored === undefined ? text : `${text}, restored: ${words(restored)}`;
}
