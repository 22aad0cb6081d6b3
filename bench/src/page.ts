import { launch, type Page } from 'puppeteer-core';
import { findProgram } from '../../test/end-to-end/find-program.ts';
import { DAY, serveDay } from '../../test/end-to-end/live-day.ts';
import { publish, readArguments, runCommand, showProgress } from './command.ts';
import { describeMachine } from './machine.ts';
import { type Mark, marksTable, resultsTable } from './marks.ts';
import { summarizeTimes, type TimeSummary } from './summarize-times.ts';
import { figure, type Table } from './table.ts';

const USAGE = 'npm run bench:page -- [--json FILE] [--markdown FILE]';

const SIZES = [100, DAY];
const ROUNDS = 10;
const FILTERS = ['g', 'gpt', 'claude', 'request-9', '529', ''];

/** Types each filter, and returns the times until its rows were laid out. */
const FILTER = `(async () => {
  const input = document.querySelector('#filter-words');
  const times = [];
  for (const text of ${JSON.stringify(FILTERS)}) {
    input.value = text;
    const start = performance.now();
    input.dispatchEvent(new Event('input'));
    await new Promise((resolve) => requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = resolve;
      port2.postMessage(undefined);
    }));
    document.body.getBoundingClientRect();
    times.push(performance.now() - start);
  }
  return times;
})()`;

/** Time until a filter is shown, in milliseconds, with this number of exchanges. */
interface Measured {
  readonly exchanges: number;
  readonly times: TimeSummary;
}

await runCommand(async () => {
  const { values } = readArguments(
    { options: { json: { type: 'string' }, markdown: { type: 'string' } } },
    USAGE,
  );
  const measured = await measure();
  const [date, machine] = [new Date().toISOString(), describeMachine()];
  const marks = [markOf(measured)];
  const tables = [tableOf(measured), marksTable(marks)];
  const page = resultsTable([], marks);
  const json = { date, machine, measured };
  publish({ title: 'Live page bench', date, machine, command: 'bench:page', tables, page, json }, values);
});

/** Filters pages of both sizes in turns, so that other work of the machine meets both. */
async function measure(): Promise<Measured[]> {
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await launch({ executablePath: findProgram('chromium'), headless: true, args });
  const served = await Promise.all(SIZES.map(serveDay));
  try {
    const pages: Page[] = [];
    for (const { url } of served) {
      // A page behind another draws nothing.
      const page = await browser.newPage();
      await page.goto(url);
      await page.waitForSelector('#exchanges tbody tr');
      pages.push(page);
    }
    const times: number[][] = SIZES.map(() => []);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [at, page] of pages.entries()) {
        await page.bringToFront();
        times[at]!.push(...((await page.evaluate(FILTER)) as number[]));
      }
      showProgress(`round ${round + 1} of ${ROUNDS}`);
    }
    return times.map((all, at) => ({ exchanges: SIZES[at]!, times: summarizeTimes(all) }));
  } finally {
    await browser.close();
    for (const { close } of served) close();
  }
}

function tableOf(measured: readonly Measured[]): Table {
  return {
    title: 'Time until a filter is shown, ms',
    labels: 1,
    header: ['exchanges', 'p50', 'p95', 'longest'],
    rows: measured.map(({ exchanges, times }) => [
      String(exchanges),
      figure(times.p50, 0),
      figure(times.p95, 0),
      figure(times.max, 0),
    ]),
  };
}

function markOf(measured: readonly Measured[]): Mark {
  const { p50 } = measured.at(-1)!.times;
  return {
    what: `a filter over ${DAY} exchanges, p50`,
    mark: 'at most 100 ms',
    measured: `${figure(p50, 0)} ms`,
    isMet: p50 <= 100,
  };
}
