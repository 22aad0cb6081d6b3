import { refreshCosts, useCosts } from './page-costs.js';
import { byId } from './page-dom.js';
import { addRow, describe, replaceRows } from './page-exchanges.js';
import { showReport } from './page-report.js';
import { ask, keepToken, report } from './page-source.js';
import { showState, showTotals } from './page-state.js';

/** @import { ExchangeRow } from '../exchange-row.ts' */
/** @import { ReportData } from '../page.ts' */
/** @import { LiveState } from './page-state.js' */
/** @typedef {{ about: { readonly version: string, readonly strategy: string, readonly mode: string }, state: LiveState }} Hello */

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

const form = byId('token', HTMLFormElement);
const tokenText = byId('token-text', HTMLInputElement);
const content = byId('content', HTMLElement);

async function connect() {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    try {
      const response = await ask('/_winnow/live');
      const { status, body } = response;
      if (status === 401 || status === 403) return refused(status, await response.text());
      if (!response.ok || body === null) throw new Error(await response.text());
      form.hidden = true;
      wait = FIRST_WAIT_MS;
      await readEvents(body);
    } catch {}
    say('Not connected; trying again.', 'bad');
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

/** @type {(status: number, message: string) => void} */
function refused(status, message) {
  say(message.trim(), 'bad');
  form.hidden = status !== 401;
  content.hidden = true;
  if (status === 401) tokenText.focus();
}

/** @type {(body: ReadableStream<Uint8Array<ArrayBuffer>>) => Promise<void>} */
async function readEvents(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ''; ; ) {
    const { value, done } = await reader.read();
    if (done) return;
    const events = (text + value).split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const [, name, data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? [];
      if (name === 'hello') await greet(JSON.parse(data));
      else if (name === 'exchange') addRow(JSON.parse(data));
      else if (name === 'state') showAll(JSON.parse(data));
    }
  }
}

/** @type {(state: LiveState) => void} */
function showAll(state) {
  showState(state);
  void refreshCosts(state.totals.exchanges).catch(() => {});
}

/**
 * Shows the states, and the exchanges until now. Those that come meanwhile wait in the stream.
 *
 * @type {(hello: Hello) => Promise<void>}
 */
async function greet({ about, state }) {
  byId('about', HTMLElement).textContent =
    `${about.version} · strategy ${about.strategy} · rollout ${about.mode}`;
  content.hidden = false;
  describe(state.totals.currency);
  showAll(state);
  const response = await ask('/_winnow/exchanges');
  if (!response.ok) throw new Error(await response.text());
  const lines = (await response.text()).split('\n').filter(Boolean);
  replaceRows(lines.map((line) => /** @type {ExchangeRow} */ (JSON.parse(line))));
  say('Live', 'good');
}

/** @type {(text: string, state: string) => void} */
function say(text, state) {
  const connection = byId('connection', HTMLElement);
  if (connection.textContent !== text) connection.textContent = text;
  connection.className = state;
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  keepToken(tokenText.value);
  tokenText.value = '';
  void connect();
});

/**
 * Shows the data of a report, which has no connection.
 *
 * @param {ReportData} data
 */
function open(data) {
  byId('about', HTMLElement).textContent = data.about;
  for (const id of ['states', 'connection', 'pause']) byId(id, HTMLElement).hidden = true;
  byId('totals-title', HTMLElement).textContent = 'Totals';
  byId('none', HTMLElement).textContent = 'No record was found.';
  content.hidden = false;
  showReport(data);
  showTotals(data.totals);
  describe(data.totals.currency, data.points);
  replaceRows(data.rows);
  useCosts(data.costs);
}

if (report === undefined) void connect();
else open(report);
