import { byId, make } from './live-elements.js';
import { ask } from './live-requests.js';

/** @import { TextPart, TextTable } from '@winnow/learning' */

const suggestButton = byId('suggest', HTMLButtonElement);
const suggestStatus = byId('suggest-status', HTMLElement);

/** Shows what is learned; nothing where learning is off. */
export async function showLearned() {
  const response = await ask('/_winnow/learned');
  if (!response.ok) return;
  /** @type {TextPart | null} */
  const part = await response.json();
  byId('learned', HTMLElement).replaceChildren(
    ...(part === null ? [] : [make('h3', { text: part.title }), ...partOf(part)]),
  );
}

async function showSuggestions() {
  suggestStatus.textContent = 'Reading the records…';
  const response = await ask('/_winnow/suggestions');
  const found = await response.json();
  if (!response.ok) throw new Error(found.error);
  byId('suggestions', HTMLElement).replaceChildren(...partOf(found));
  suggestStatus.textContent = `Read at ${new Date().toLocaleTimeString()}`;
}

/** @type {(part: TextPart) => Node[]} */
function partOf({ sentences, tables }) {
  return [...sentences.map((text) => make('p', { text })), ...tables.map(tableOf)];
}

/** @type {(table: TextTable) => Node} */
function tableOf({ title, columns, rows, note }) {
  const head = make('tr', {}, ...columns.map((text) => make('th', { scope: 'col', text })));
  const body = rows.map((cells) =>
    make('tr', {}, ...cells.map((text, at) => make('td', { 'data-label': columns[at], text }))),
  );
  const caption = make('caption', {}, make('strong', { text: title }), note === undefined ? '' : ` ${note}`);
  return make('table', { class: 'rows texts' }, caption, make('thead', {}, head), make('tbody', {}, ...body));
}

suggestButton.addEventListener('click', () => {
  // Not disabled, which would take the focus away.
  if (suggestButton.ariaBusy === 'true') return;
  suggestButton.ariaBusy = 'true';
  showSuggestions()
    .catch(({ message }) => {
      suggestStatus.textContent = message;
    })
    .finally(() => {
      suggestButton.ariaBusy = 'false';
    });
});
