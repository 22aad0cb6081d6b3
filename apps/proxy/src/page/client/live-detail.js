import { COLUMNS } from './live-columns.js';
import { byId, make } from './live-elements.js';
import { clock, words } from './live-numbers.js';
import { factsOf, searchLine } from './live-records.js';
import { ask, exchangePath } from './live-requests.js';
import { showTools } from './live-tools.js';

/** @import { ExchangeRecord } from '@winnow/core' */
/** @import { LiveDetails } from '../live-feed.ts' */
/** @import { LiveRow } from '../live-row.ts' */
/** @typedef {Omit<LiveDetails, 'searched'> & { canExplain: boolean }} Details */

const detail = byId('detail', HTMLDialogElement);

/** Returns the id of the exchange in the page's address; undefined without one. */
export const linkedId = () => {
  const [, id] = /^#exchange=(.+)$/.exec(location.hash) ?? [];
  return id === undefined ? undefined : decodeURIComponent(id);
};

/** @type {(id: string) => string} */
export const linkTo = (id) => `#exchange=${encodeURIComponent(id)}`;

/**
 * Shows what is held of an exchange.
 *
 * @param {string} id
 * @param {LiveRow | undefined} row
 * @param {string} currency
 */
export async function showDetail(id, row, currency) {
  const title = byId('detail-title', HTMLElement);
  const body = byId('detail-body', HTMLElement);
  title.textContent = row === undefined ? 'Exchange' : `${row.model ?? 'Exchange'} at ${clock(row.time)}`;
  body.replaceChildren();
  if (!detail.open) detail.showModal();
  const response = await ask(exchangePath(id)).catch(() => undefined);
  if (linkedId() !== id) return;
  if (response?.ok) await showRecord(body, title, await response.json(), currency);
  else body.replaceChildren(...factsIn(row, id, currency));
}

/** @type {(body: HTMLElement, title: HTMLElement, details: Details, currency: string) => Promise<void>} */
async function showRecord(body, title, { record, saved, tools, canExplain }, currency) {
  title.textContent = `${record.model ?? 'Exchange'} at ${clock(Date.parse(record.time))}`;
  const place = make('div');
  body.replaceChildren(
    listOf(factsOf(record, saved, currency)),
    ...searchesIn(record),
    ...failuresIn(record),
    make('h3', { text: 'What the model saw' }),
    place,
  );
  showTools(place, record.requestId, tools, canExplain);
}

/** @type {(row: LiveRow | undefined, id: string, currency: string) => HTMLElement[]} */
function factsIn(row, id, currency) {
  const text = 'This proxy no longer holds the record of this exchange. The file of records may have it.';
  const note = make('p', { class: 'soft', text });
  if (row === undefined) return [listOf([['Request id', id]]), note];
  /** @type {[string, string][]} */
  const facts = COLUMNS.map((column) => [column.title, column.text(row, currency)]);
  return [listOf([...facts, ['Request id', id]]), note];
}

/** @type {(facts: [string, string][]) => HTMLElement} */
function listOf(facts) {
  const items = facts.map(([name, text]) =>
    make('div', {}, make('dt', { text: name }), make('dd', { text })),
  );
  return make('dl', { class: 'facts' }, ...items);
}

/** @type {(record: ExchangeRecord) => HTMLElement[]} */
function searchesIn({ searches, observation }) {
  const all = [...searches, ...(observation?.search === undefined ? [] : [observation.search])];
  const items = all.map((search) => {
    const item = make('li', { text: searchLine(search) });
    if (search.names.length > 0) item.append(make('div', { class: 'soft', text: search.names.join(', ') }));
    return item;
  });
  return items.length === 0 ? [] : [make('h3', { text: 'Searches' }), make('ol', {}, ...items)];
}

/** @type {(record: ExchangeRecord) => HTMLElement[]} */
function failuresIn({ failedRounds = [] }) {
  const items = failedRounds.map(({ round, reason, status, cause }) =>
    make('li', { text: `Round ${round}: ${words(reason)} ${[status, cause].filter(Boolean).join(' ')}` }),
  );
  if (items.length === 0) return [];
  return [make('h3', { text: 'Failed requests' }), make('ul', { class: 'plain' }, ...items)];
}

byId('close', HTMLButtonElement).addEventListener('click', () => detail.close());
detail.addEventListener('close', () => {
  if (linkedId() !== undefined) history.pushState(null, '', location.pathname);
});
