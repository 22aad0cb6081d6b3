import { readFile, rename, writeFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { parseJson, printable } from '@winnow/core';
import { agentText, Learned, takeBack, writeProfiles } from '@winnow/learning';
import { forgottenFile, type Options, readOptions, USAGE, UsageError } from './options.ts';
import { openSources, SourceError } from './reading/open-source.ts';
import { showProgress } from './reading/progress.ts';
import { readPrices } from './reading/read-prices.ts';
import { readRecords } from './reading/read-records.ts';
import { makeReport, type Report } from './report.ts';
import { SectionsTally } from './sections.ts';
import { renderSuggestions, renderText } from './terminal/render-text.ts';

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
    const forgotten = forgottenFile(args);
    if (forgotten !== undefined) return await forget(forgotten, world);
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
  const report = await read(options, world);
  const render = options.isSuggesting ? renderSuggestions : renderText;
  world.stdout.write(
    options.isJson ? `${JSON.stringify(report, null, 2)}\n` : render(report, terminalOf(world)),
  );
  for (const { source, message } of report.reading.broken) {
    world.stderr.write(`${source} ended early: ${message}. The data before that is counted.\n`);
  }
  const isGood = report.reading.broken.length === 0 && report.traffic.exchanges > 0;
  const isWritten = options.page === undefined || (await writePage(report, options.page, world));
  const hasProfiles =
    options.profiles === undefined || (await writeSuggested(report, options.profiles, world));
  return isGood && isWritten && hasProfiles ? 0 : 1;
}

async function read({ sources: names, prices, period }: Options, { stdin, stderr }: World): Promise<Report> {
  const sections = new SectionsTally(await readPrices(prices));
  const sources = await openSources(names, stdin);
  const progress = showProgress(sources, stderr);
  const reading = await readRecords(sources, {
    period,
    onRecord: (record) => sections.add(record),
    onList: (list) => sections.addList(list),
    onProgress: progress.advance,
  }).finally(progress.stop);
  return makeReport(
    sections.result(),
    sources.map(({ name }) => name),
    reading,
  );
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

/** The plots are loaded only for a page, because that takes longer than a short report. */
async function writePage(report: Report, path: string, { stderr }: World): Promise<boolean> {
  const { renderPage } = await import('./page/render-page.ts');
  return write(path, renderPage(report), { what: 'Page with plots', stderr });
}

function writeSuggested(report: Report, path: string, { stderr }: World): Promise<boolean> {
  return write(path, writeProfiles(report.suggestions), { what: 'Profiles', stderr });
}

/** Writes a file and reports it; false if it cannot be written. */
async function write(
  path: string,
  text: string,
  { what, stderr }: { readonly what: string; readonly stderr: NodeJS.WriteStream },
): Promise<boolean> {
  try {
    await writeFile(path, text);
  } catch (error) {
    stderr.write(`${path} cannot be written: ${(error as Error).message}\n`);
    return false;
  }
  stderr.write(`${what}: ${path}\n`);
  return true;
}

/** The output of the command. */
interface Output {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

/** Undoes everything in a file of applied learning, and reports it. Returns the exit code. */
async function forget(path: string, { stdout, stderr }: Output): Promise<number> {
  try {
    const { data } = Learned.safeParse(parseJson(await readFile(path, 'utf8')));
    if (data === undefined) {
      stderr.write(`${path} is not a file of applied learning.\n`);
      return 1;
    }
    const written = `${path}.${process.pid}.new`;
    await writeFile(written, `${JSON.stringify(takeBack(data), null, 2)}\n`, { mode: 0o600 });
    await rename(written, path);
    for (const agent of data.agents) {
      const words = Object.values(agent.words).flat().length;
      const names = agent.keep.map(({ name }) => printable(name)).join(', ') || 'no tools';
      stdout.write(`${printable(agentText(agent))}: ${names}; ${words} words\n`);
    }
    stdout.write('Undone. New conversations follow within a minute.\n');
    return 0;
  } catch (error) {
    stderr.write(`${path} cannot be used: ${(error as Error).message}\n`);
    return 1;
  }
}
