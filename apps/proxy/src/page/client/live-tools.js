import { make } from './live-elements.js';
import { count, plural, share } from './live-numbers.js';
import { ask, exchangePath } from './live-requests.js';

/** @import { SearchPlace } from '../explain-search.ts' */
/** @import { FateReason, ToolFate } from '../tool-fates.ts' */

/** @type {Record<FateReason, string>} */
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
