import { byId, clock, count, make, ms, plural, share, words } from './page-dom.js';
import { COLUMNS, expectedWords, outcomeOf, savedOf, toolsOf } from './page-rows.js';
import { ask, exchangePath, report } from './page-source.js';

/** @import { ExchangeRecord } from '@winnow/core' */
/** @import { ExchangeRow, SavedRange } from '../exchange-row.ts' */

/**
 * The details of an exchange, as its proxy holds them.
 *
 * @typedef {{ record: ExchangeRecord, saved: SavedRange | undefined, tools: readonly ToolFate[] | undefined, canExplain: boolean }} Details
 */
/** @typedef {{ readonly name: string, readonly fate: 'kept' | 'deferred' | 'loaded', readonly why: string }} ToolFate */
/**
 * The place of a tool in one search; words only where content is shown.
 *
 * @typedef {{ readonly queryChars: number, readonly query?: string, readonly rank: number | null, readonly score: number,
 *   readonly tools: number, readonly matchedCount: number, readonly missingCount: number,
 *   readonly matched?: readonly string[], readonly missing?: readonly string[] }} SearchPlace
 */

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
 * @param {ExchangeRow | undefined} row
 * @param {string} currency
 */
export async function showDetail(id, row, currency) {
  const title = byId('detail-title', HTMLElement);
  const body = byId('detail-body', HTMLElement);
  title.textContent = row === undefined ? 'Exchange' : `${row.model ?? 'Exchange'} at ${clock(row.time)}`;
  body.replaceChildren();
  if (!detail.open) detail.showModal();
  if (report !== undefined) return body.replaceChildren(...factsIn(row, id, currency));
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

/** @type {(row: ExchangeRow | undefined, id: string, currency: string) => HTMLElement[]} */
function factsIn(row, id, currency) {
  const text =
    report === undefined
      ? 'This proxy no longer holds the record of this exchange. The file of records may have it.'
      : 'The file of records has the rest under this id.';
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
function searchesIn({ searches }) {
  const items = searches.map((search) => {
    const item = make('li', { text: searchLine(search) });
    if (search.names.length > 0) item.append(make('div', { class: 'soft', text: search.names.join(', ') }));
    return item;
  });
  return items.length === 0 ? [] : [make('h3', { text: 'Searches' }), make('ol', {}, ...items)];
}

/** @type {(record: ExchangeRecord) => HTMLElement[]} */
function failuresIn({ failedRounds = [] }) {
  const items = failedRounds.map(({ reason, cause = '' }) =>
    make('li', { text: `A request of the search loop: ${words(reason)} ${cause}` }),
  );
  if (items.length === 0) return [];
  return [make('h3', { text: 'Failed requests' }), make('ul', { class: 'plain' }, ...items)];
}

byId('close', HTMLButtonElement).addEventListener('click', () => detail.close());
detail.addEventListener('close', () => {
  if (linkedId() !== undefined) history.pushState(null, '', location.pathname);
});

/** @typedef {ExchangeRecord['searches'][number]} SearchRecord */

/** @type {(search: Pick<SearchRecord, 'queryText' | 'outcome' | 'ms'>) => string} */
export function searchLine({ queryText, outcome, ms: time }) {
  const asked = queryText === undefined ? 'A query' : `“${queryText}”`;
  return `${asked}: ${words(outcome)} in ${ms(time)}`;
}

/** @type {(record: ExchangeRecord) => [string, string][]} */
function expectedOf({ expected, planReason }) {
  return expected === undefined ? [] : [['Expected', expectedWords(expected, planReason)]];
}

/** Bytes of tools per token, as `toolTokens` estimates. */
const BYTES_PER_TOKEN = 4;

/** @type {(record: ExchangeRecord, saved: SavedRange | undefined, currency: string) => [string, string][]} */
export function factsOf(record, saved, currency) {
  const { usage = [], toolBytes, tools, outcome, status, cause } = record;
  /** @type {(counted: (round: typeof usage[number]) => number | undefined) => number} */
  const sum = (counted) => usage.reduce((total, round) => total + (counted(round) ?? 0), 0);
  /** @type {(bytes: number) => string} */
  const tokens = (bytes) => count.format(Math.round(bytes / BYTES_PER_TOKEN));
  const shown = tools.total - tools.deferred + tools.loaded;
  const hasCache = usage.some(({ cachedInputTokens }) => cachedInputTokens !== undefined);
  const cached = hasCache
    ? `, ${count.format(sum(({ cachedInputTokens }) => cachedInputTokens))} cached`
    : '';
  return [
    ['Outcome', outcomeOf({ outcome, status, cause, restored: record.restoredBecause })],
    [
      'Tools',
      toolsOf({
        ...record,
        expected: record.expected,
        tools: tools.total,
        shown,
        deferred: tools.deferred,
        plan: record.planReason,
      }),
    ],
    ['Plan', words(record.planReason)],
    ['Arm', `${record.arm} (${words(record.armReason)})`],
    ['Upstream', record.upstream],
    ['Format', record.format],
    ...(tools.loaded > 0 ? [/** @type {[string, string]} */ (['Load mode', record.loadMode])] : []),
    ['Requests to the upstream', count.format(record.upstreamCalls)],
    ['Tool tokens, estimated', `${tokens(toolBytes.before)} before, ${tokens(toolBytes.after)} after`],
    [
      'Tokens, as counted',
      usage.length === 0
        ? 'not told'
        : `${count.format(sum(({ inputTokens }) => inputTokens))} in, ${count.format(sum(({ outputTokens }) => outputTokens))} out${cached}`,
    ],
    ['Saved or lost, estimated', savedOf({ savedLow: saved?.low, savedHigh: saved?.high }, currency)],
    ...expectedOf(record),
    [
      'Time',
      `${ms(record.totalMs)}, ${ms(record.addedMs)} of it added, ${ms(record.hiddenRoundsMs)} hidden rounds`,
    ],
    ['Session', record.session ?? 'none'],
    ['Request id', record.requestId],
  ];
}

/** @type {Record<string, string>} */
const WHY = {
  nothing_deferred: 'nothing was deferred',
  not_a_function: 'not a plain client function',
  cache_marked: 'it has a cache breakpoint',
  interaction: 'talks to the user or steers the agent',
  basic: 'is one that an agent cannot work without',
  always_keep: 'always_keep names it',
  chosen: 'tool_choice names it',
  preloaded: 'fits the first message',
  named: 'the system prompt names it',
  searchable: 'available by search',
  loaded_before: 'found earlier in the conversation',
  found: 'found by a search',
  restored: 'shown because a search failed or the limit was reached',
};
const FATES = { kept: 'saw it', deferred: 'did not see it', loaded: 'saw it when loaded' };
const ORDER = ['loaded', 'kept', 'deferred'];
const MOST_SHOWN = 500;

/**
 * Shows the tools of an exchange, with a filter by name.
 *
 * @param {HTMLElement} place
 * @param {string} requestId
 * @param {readonly ToolFate[] | undefined} held
 * @param {boolean} canExplain
 */
export function showTools(place, requestId, held, canExplain) {
  if (held === undefined) {
    const text =
      'The names of these tools are not held: they are those of the latest exchanges that were planned.';
    place.append(make('p', { class: 'soft', text }));
    return;
  }
  const tools = [...held];
  tools.sort((a, b) => ORDER.indexOf(a.fate) - ORDER.indexOf(b.fate));
  const body = make('tbody');
  /** @type {(text: string) => void} */
  const show = (text) => {
    const fitting = tools.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
    body.replaceChildren(...fitting.slice(0, MOST_SHOWN).map((tool) => toolRow(tool, canExplain, requestId)));
  };
  const filter = make('input', { type: 'search', id: 'filter' });
  filter.addEventListener('input', () => show(filter.value));
  const names = ['Tool', 'The model', 'Because', ...(canExplain ? ['Searches'] : [])];
  const head = make('tr', {}, ...names.map((text) => make('th', { scope: 'col', text })));
  const table = make('table', {}, make('thead', {}, head), body);
  place.append(
    make('p', {}, make('label', { for: 'filter', text: 'Filter by name ' }), filter),
    make('section', { class: 'scroll', 'aria-label': 'Tools of the request' }, table),
  );
  show('');
}

/** @type {(tool: ToolFate, canExplain: boolean, requestId: string) => HTMLTableRowElement} */
function toolRow({ name, fate, why }, canExplain, requestId) {
  const row = make('tr', {}, ...[name, FATES[fate], WHY[why] ?? why].map((text) => make('td', { text })));
  if (!canExplain) return row;
  const cell = make('td');
  if (fate !== 'kept') {
    const question = fate === 'deferred' ? 'Why not found' : 'Why found';
    const label = `${question}: ${name}`;
    const button = make('button', {
      type: 'button',
      class: 'link',
      text: `${question}?`,
      'aria-label': label,
    });
    button.addEventListener('click', () => explain(cell, name, requestId));
    cell.append(button);
  }
  row.append(cell);
  return row;
}

/** @type {(cell: HTMLElement, name: string, requestId: string) => Promise<void>} */
async function explain(cell, name, requestId) {
  const response = await ask(`${exchangePath(requestId)}?tool=${encodeURIComponent(name)}`);
  /** @type {{ places?: SearchPlace[], error: string }} */
  const { places, error } = await response.json();
  const lines = places === undefined ? [error] : places.map(describePlace);
  const items = lines.map((text) => make('li', { text }));
  cell.replaceChildren(make('ul', { class: 'plain', role: 'status' }, ...items));
}

/** @type {(place: SearchPlace) => string} */
function describePlace({
  query,
  queryChars,
  rank,
  score,
  tools,
  matched,
  missing,
  matchedCount,
  missingCount,
}) {
  const asked = query === undefined ? `Query of ${plural(queryChars, 'character')}` : `“${query}”`;
  const total = count.format(tools);
  const place =
    rank === null
      ? `no match among ${total}`
      : `rank ${rank} of ${total}, ${share.format(score)} of the best score`;
  /** @type {(texts: readonly string[] | undefined, number: number) => string} */
  const list = (texts, number) => (texts === undefined ? plural(number, 'word') : texts.join(' ') || 'none');
  return `${asked}: ${place}; matched ${list(matched, matchedCount)}; missing ${list(missing, missingCount)}`;
}
