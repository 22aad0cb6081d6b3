import { byId, make } from './live-elements.js';
import { clock, count, ms, words } from './live-numbers.js';
import { factsOf, isFailed, outcomeOf, searchesOf, searchLine, toolsOf } from './live-records.js';
import { savedText } from './live-state.js';
import { showTools } from './live-tools.js';

/** @import { ExchangeRecord } from '@winnow/contract' */
/** @import { LiveExchange } from '../live-feed.ts' */

const MOST_ROWS = 200;

const table = byId('exchanges', HTMLTableElement);
const rows = /** @type {HTMLTableSectionElement} */ (table.tBodies[0]);
const none = byId('none', HTMLElement);
const detail = byId('detail', HTMLDialogElement);

export function clearRows() {
  rows.replaceChildren();
  table.hidden = true;
  none.hidden = false;
}

/** @type {(exchange: LiveExchange, isNew?: boolean) => void} */
export function addRow(exchange, isNew = false) {
  const { record } = exchange;
  const time = clock(record.time);
  const label = `${time}, details of ${record.model ?? 'an exchange'}`;
  const open = make('button', {
    type: 'button',
    class: 'link',
    text: time,
    'aria-label': label,
    'aria-haspopup': 'dialog',
  });
  open.addEventListener('click', () => showDetail(exchange));
  const cells = cellsOf(record).map(([name, text]) => make('td', { 'data-label': name, text }));
  const kind = `${isFailed(record) ? 'failed' : ''} ${isNew ? 'new' : ''}`.trim();
  rows.prepend(make('tr', { class: kind }, make('td', {}, open), ...cells));
  // A row with the focus must not disappear while someone opens it.
  while (rows.rows.length > MOST_ROWS && !rows.lastElementChild?.contains(document.activeElement)) {
    rows.lastElementChild?.remove();
  }
  table.hidden = false;
  none.hidden = true;
}

/** @type {(record: ExchangeRecord) => [string, string][]} */
const cellsOf = (record) => [
  ['Model', record.model ?? '–'],
  ['Format', record.format],
  ['Tools', toolsOf(record)],
  ['Searches', searchesOf(record)],
  ['Rounds', count.format(record.upstreamCalls)],
  ['Added', ms(record.addedMs)],
  ['Outcome', outcomeOf(record)],
];

/** @type {(exchange: LiveExchange) => Promise<void>} */
async function showDetail({ record, saved, hasDetails }) {
  byId('detail-title', HTMLElement).textContent = `${record.model ?? 'Exchange'} at ${clock(record.time)}`;
  const facts = factsOf(record, savedText(saved)).map(([name, text]) =>
    make('div', {}, make('dt', { text: name }), make('dd', { text })),
  );
  const tools = make('div');
  byId('detail-body', HTMLElement).replaceChildren(
    make('dl', { class: 'facts' }, ...facts),
    ...searchesIn(record),
    ...failuresIn(record),
    make('h3', { text: 'What the model saw' }),
    tools,
  );
  if (!detail.open) detail.showModal();
  await showTools(tools, record.requestId, hasDetails);
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

/** @type {LiveExchange[]} */
let waiting = [];
let isPaused = false;
const pause = byId('pause', HTMLButtonElement);

/** @type {(exchange: LiveExchange) => void} */
export function showExchange(exchange) {
  if (!isPaused) return addRow(exchange, true);
  waiting.push(exchange);
  if (waiting.length > MOST_ROWS) waiting.shift();
  pause.textContent = `Go on (${waiting.length} more)`;
}

export function forgetWaiting() {
  waiting = [];
}

pause.addEventListener('click', () => {
  isPaused = !isPaused;
  pause.setAttribute('aria-pressed', String(isPaused));
  pause.textContent = isPaused ? 'Go on' : 'Pause';
  for (const exchange of waiting.splice(0)) addRow(exchange, true);
});
byId('close', HTMLButtonElement).addEventListener('click', () => detail.close());
