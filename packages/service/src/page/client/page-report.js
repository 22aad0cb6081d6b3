import { byId, make } from './page-dom.js';

/** @import { Part, ReportData, Table } from '../page.ts' */

const STATES = /** @type {Record<string, string>} */ ({
  clear: 'clear',
  unclear: 'too little',
  against: 'against',
});
/** Parts that are open from the start, except on a phone. */
const OPEN = ['tools', 'suggestions', 'money'];

const isNarrow = matchMedia('(max-width: 700px)').matches;

/** @type {(report: ReportData) => void} */
export function showReport({ headlines, verdict, parts }) {
  const findings = verdict.findings.map(({ state, subject, value, limit }) =>
    make(
      'li',
      { class: state },
      make('span', { class: 'badge', text: STATES[state] ?? state }),
      make('span', { text: subject }),
      make('strong', { text: value }),
      make('span', { class: 'soft', text: limit }),
    ),
  );
  byId('verdict', HTMLElement).replaceChildren(
    ...headlines.map((text) => make('p', { class: 'headline', text })),
    make(
      'section',
      { class: `card verdict ${verdict.state}`, 'aria-labelledby': 'verdict-title' },
      make('h2', { id: 'verdict-title', text: verdict.title }),
      make('p', { class: 'summary', text: verdict.summary }),
      make('ul', { class: 'findings' }, ...findings),
      ...(verdict.notes.length === 0
        ? []
        : [make('ul', {}, ...verdict.notes.map((text) => make('li', { text })))]),
    ),
  );
  byId('parts', HTMLElement).replaceChildren(...parts.map(partElement));
}

/** @type {(part: Part) => HTMLElement} */
function partElement({ id, title, sentences, tables }) {
  const part = make('details', { class: 'card part', id }, make('summary', {}, make('h2', { text: title })));
  part.open = OPEN.includes(id) && !isNarrow;
  part.append(...sentences.map((text) => make('p', { text })), ...tables.map(tableElement));
  return part;
}

/** @type {(table: Table) => HTMLElement} */
function tableElement({ title, columns, textColumns = 1, rows, note }) {
  const kindOf = (/** @type {number} */ at) => (at < textColumns ? undefined : 'number');
  const head = columns.map((text, at) => make('th', { scope: 'col', class: kindOf(at), text }));
  const body = rows.map((row) =>
    make('tr', {}, ...row.map((text, at) => make('td', { class: kindOf(at), text }))),
  );
  const table = make('table', {}, make('thead', {}, make('tr', {}, ...head)), make('tbody', {}, ...body));
  const scroll = make('div', { class: 'scroll', role: 'region', tabindex: '0', 'aria-label': title }, table);
  const parts = [make('h3', { text: title }), scroll];
  if (note !== undefined) parts.push(make('p', { class: 'note', text: note }));
  return make('div', { class: 'table' }, ...parts);
}
