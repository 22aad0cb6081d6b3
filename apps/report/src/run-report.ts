import { readFile, writeFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { PRICES, PriceTable, parseJson, withPrices } from '@winnow/core';
import { type Options, readOptions, USAGE, UsageError } from './options.ts';
import { PageTally, renderPage } from './page.ts';
import { openSources, SourceError, showProgress } from './reading/open-source.ts';
import { readRecords } from './reading/read-records.ts';
import { makeReport } from './report.ts';
import { SectionsTally } from './sections.ts';
import { renderSuggestions, renderText } from './terminal/render-text.ts';

/**
 * The prices that come with Winnow, with those of a file over them where one is named.
 *
 * @throws SourceError when the file cannot be read, or is not a table of prices; says where its first mistake is.
 */
export async function readPrices(path: string | undefined): Promise<PriceTable> {
  if (path === undefined) return PRICES;
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new SourceError(`The prices cannot be read: ${error.message}`);
  });
  const parsed = PriceTable.safeParse(parseJson(text));
  if (parsed.success) return withPrices(parsed.data);
  const [issue] = parsed.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`;
  throw new SourceError(`${path} is not a table of prices${place}: ${issue?.message ?? 'it is not JSON'}.`);
}

/** The effects of the command. */
interface World {
  readonly stdin: Readable;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Runs the command and gives its exit code: 0 when there is a report, 1 when a file cannot be read or written or holds no record, 2 for a
 * command line that cannot be understood.
 */
export async function runReport(args: readonly string[], world: World): Promise<number> {
  try {
    const options = readOptions(args, world.now());
    if (options === undefined) {
      world.stdout.write(`${USAGE}\n`);
      return 0;
    }
    return await report(options, world);
  } catch (error) {
    if (error instanceof UsageError) {
      world.stderr.write(`${error.message}\n\n${USAGE}\n`);
      return 2;
    }
    if (error instanceof SourceError) {
      world.stderr.write(`${error.message}\n`);
      return 1;
    }
    throw error;
  }
}

async function report(options: Options, world: World): Promise<number> {
  const { report, page } = await read(options, world);
  const render = options.isSuggesting ? renderSuggestions : renderText;
  world.stdout.write(
    options.isJson ? `${JSON.stringify(report, null, 2)}\n` : render(report, terminalOf(world)),
  );
  for (const { source, message } of report.reading.broken) {
    world.stderr.write(`${source} ended early: ${message}. The data before that is counted.\n`);
  }
  const isGood = report.reading.broken.length === 0 && report.traffic.exchanges > 0;
  const isWritten =
    options.page === undefined || (await writePage(renderPage(report, page.result()), options.page, world));
  return isGood && isWritten ? 0 : 1;
}

async function read({ sources: names, prices, period }: Options, { stdin, stderr }: World) {
  const table = await readPrices(prices);
  const sections = new SectionsTally(table);
  const page = new PageTally(table);
  const sources = await openSources(names, stdin);
  const progress = showProgress(sources, stderr);
  const reading = await readRecords(sources, {
    period,
    onRecord: (record) => {
      sections.add(record);
      page.add(record);
    },
    onList: (list) => sections.addList(list),
    onProgress: progress.advance,
  }).finally(progress.stop);
  const report = makeReport(
    sections.result(),
    sources.map(({ name }) => name),
    reading,
  );
  return { report, page };
}

/** Narrower than this no table can be read; wider than this no eye follows a line. */
const NARROWEST = 40;
const WIDEST = 120;

/** Returns the terminal; without one, the width fits most places where tables are pasted. */
function terminalOf({ stdout }: World) {
  return {
    width: Math.min(WIDEST, Math.max(NARROWEST, stdout.columns ?? 100)),
    stream: stdout,
  };
}

/** Writes the page and reports it; false if it cannot be written. */
async function writePage(page: string, path: string, { stderr }: World): Promise<boolean> {
  try {
    await writeFile(path, page);
  } catch (error) {
    stderr.write(`${path} cannot be written: ${(error as Error).message}\n`);
    return false;
  }
  stderr.write(`Page: ${path}\n`);
  return true;
}
