import { writeFileSync } from 'node:fs';
import type { ConformanceCase } from './conformance-case.ts';
import { CLIENT_FORMATS } from './formats/formats.ts';
import { chosenCases, judgeCases, STOPPED, TIME_IS_UP } from './judge-cases.ts';
import { type Options, readOptions, USAGE, UsageError } from './options.ts';
import { writeResult } from './output/write-result.ts';
import { probeFormat, troubleIn } from './probe.ts';
import { failuresIn, type Result, summaryOf } from './result.ts';
import type { Gateway } from './run.ts';
import { SOURCES } from './sources.ts';
import { startWireProvider, type WireProvider } from './wire/wire-provider.ts';

/** The meaning of the exit codes; see the usage text. */
export const EXIT = {
  passed: 0,
  failed: 1,
  usage: 2,
  'no-answer': 3,
  'wants-key': 4,
  'not-reached': 5,
  'nothing-judged': 6,
  stopped: 130,
} as const;

/** The streams of a terminal. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  /** Shows a line in the place of the last one; absent if no person looks on. */
  readonly progress?: (line: string) => void;
  /** Stops the run, which then writes what it has. */
  readonly signal?: AbortSignal;
}

/** Runs the command with these arguments, and returns its exit code. */
export async function runConformance(args: readonly string[], terminal: Terminal): Promise<number> {
  const { out, error } = terminal;
  let options: Options | 'help';
  try {
    options = readOptions(args);
  } catch (mistake) {
    if (!(mistake instanceof UsageError)) throw mistake;
    error(`conformance: ${mistake.message}.\nnpm run conformance -- --help prints all options.\n`);
    return EXIT.usage;
  }
  if (options === 'help') {
    out(`${USAGE}\n`);
    return EXIT.passed;
  }
  if (options.isList) {
    out(chosenCases(options).map(listed).join(''));
    return EXIT.passed;
  }
  if (options.gateway === undefined) {
    error(`${howToPoint(options.port)}\n`);
    return EXIT.usage;
  }
  const { port } = options;
  const provider = await startWireProvider(port).catch(({ code }: NodeJS.ErrnoException) => {
    const what = code === 'EADDRINUSE' ? 'is taken, perhaps by another run' : `cannot be opened (${code})`;
    error(`conformance: port ${port} ${what}; choose another one with --port.\n`);
  });
  if (provider === undefined) return EXIT.usage;
  try {
    return await judge(options, options.gateway, { ...terminal, provider, args });
  } finally {
    await provider.close();
  }
}

interface Surroundings extends Terminal {
  readonly provider: WireProvider;
  readonly args: readonly string[];
}

async function judge(options: Options, gateway: Gateway, surroundings: Surroundings): Promise<number> {
  const { provider, args, out, error, progress, signal = new AbortController().signal } = surroundings;
  const { patienceMs, formats, seed } = options;
  const start = performance.now();
  progress?.(`looking which formats reach ${provider.url} through the gateway`);
  const probes = await Promise.all(
    formats.map((format) => probeFormat(format, { gateway, provider, patienceMs })),
  );
  const trouble = troubleIn(probes, { gateway, provider }, options.areFormatsChosen);
  if (trouble !== undefined) {
    progress?.('');
    error(`conformance: ${trouble.sentence}\n`);
    return EXIT[trouble.kind];
  }
  const onProgress = progress ?? (() => {});
  const judged = await judgeCases(options, { gateway, provider, probes, signal, onProgress });
  progress?.('');
  const seconds = (performance.now() - start) / 1_000;
  const result: Result = { ...judged, command: commandOf(args), seed, seconds };
  write(result, options, out);
  const moved = probes.find(({ reach, words }) => reach === 'reached' && words !== '');
  if (moved !== undefined)
    error(
      `conformance: ${moved.words}; if the address above or the gateway's upstream has a path too many, leave it out.\n`,
    );
  if (signal.aborted) return EXIT.stopped;
  if (result.verdicts.length === 0) {
    error('conformance: no case was judged, so this run says nothing about the gateway.\n');
    return EXIT['nothing-judged'];
  }
  return failuresIn(result).length > 0 || isCutShort(result) ? EXIT.failed : EXIT.passed;
}

function write(result: Result, { output, file }: Options, out: Terminal['out']): void {
  const text = writeResult(result, output);
  if (file === undefined) {
    out(text);
    return;
  }
  writeFileSync(file, text);
  out(`${summaryOf(result)} Written to ${file}.\n`);
}

const isCutShort = ({ skipped }: Result): boolean =>
  skipped.some(({ reason }) => reason === TIME_IS_UP || reason === STOPPED);

/** Returns the command line without what names cases and formats. */
function commandOf(args: readonly string[]): string {
  const kept: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    const name = arg.split('=', 1)[0]!;
    if (!['--only', '--format', '--output', '--file', '--time-limit'].includes(name)) kept.push(arg);
    else if (!arg.includes('=')) at += 1;
  }
  const quoted = kept.map((arg) => (/^[\w./:=,@*-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`));
  return `npm run conformance -- ${quoted.join(' ')}`;
}

function listed({ one, formats }: ReturnType<typeof chosenCases>[number]): string {
  const { id, promise, sources, breaks }: ConformanceCase = one;
  const urls = sources.map((name) => `    ${SOURCES[name]}\n`).join('');
  const harm = breaks === undefined ? '' : `    without it: ${breaks}\n`;
  return `${id}: ${promise}\n    ${formats.join(', ')}\n${urls}${harm}`;
}

/** Returns the text that says how to point a gateway at the providers. */
function howToPoint(port: number): string {
  const base = `http://127.0.0.1:${port}`;
  const lines = Object.values(CLIENT_FORMATS).map(
    ({ title, path }) => `  ${title.padEnd(26)} ${base}${path('MODEL', false)}`,
  );
  return `conformance: name the address of the gateway, such as http://127.0.0.1:8787.

While the cases run, one scripted provider for all formats listens on ${base}. Point the gateway's
upstreams there first. It expects these paths, however the base URL of a format is written:

${lines.join('\n')}

Any key will do: the provider accepts all of them. Then: npm run conformance -- ADDRESS`;
}
