import { writeFileSync } from 'node:fs';
import { CASES } from './cases/cases.ts';
import { type ConformanceCase, groupOf } from './conformance-case.ts';
import type { FormatName } from './formats/client-format.ts';
import { CLIENT_FORMATS } from './formats/formats.ts';
import { type Options, readOptions, USAGE, UsageError } from './options.ts';
import { writeResult } from './output/write-result.ts';
import { probeFormat, type Reach } from './probe.ts';
import { failuresIn, type Result, type Skipped, summaryOf } from './result.ts';
import { type Gateway, judgeCase, type Row, type Verdict } from './run.ts';
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
} as const;

/** The streams of a terminal. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
}

/** Markers of cases are this far apart, so that several clients of one case have markers of their own. */
const MARKERS_OF_CASE = 100;

/** Runs the command with these arguments, and returns its exit code. */
export async function runConformance(args: readonly string[], { out, error }: Terminal): Promise<number> {
  let options: Options | 'help';
  try {
    options = readOptions(args);
  } catch (mistake) {
    if (!(mistake instanceof UsageError)) throw mistake;
    error(`conformance: ${mistake.message}\nnpm run conformance -- --help prints all options.\n`);
    return EXIT.usage;
  }
  if (options === 'help') {
    out(`${USAGE}\n`);
    return EXIT.passed;
  }
  const rows = rowsOf(options);
  if (options.isList) {
    out(rows.map(({ one, format }) => `${one.id} (${format}): ${one.promise}\n${sourcesOf(one)}`).join(''));
    return EXIT.passed;
  }
  if (options.gateway === undefined) {
    error(`${howToPoint(options.port)}\n`);
    return EXIT.usage;
  }
  const provider = await startWireProvider(options.port).catch((cause: NodeJS.ErrnoException) => {
    error(`conformance: port ${options.port} is taken (${cause.code}); choose another one with --port.\n`);
  });
  if (provider === undefined) return EXIT.usage;
  try {
    return await judge(options, options.gateway, { provider, args, out, error });
  } finally {
    await provider.close();
  }
}

interface Surroundings extends Terminal {
  readonly provider: WireProvider;
  readonly args: readonly string[];
}

async function judge(
  options: Options,
  gateway: Gateway,
  { provider, args, out, error }: Surroundings,
): Promise<number> {
  const { patienceMs, formats } = options;
  const reaches = new Map<FormatName, Awaited<ReturnType<typeof probeFormat>>>();
  for (const format of formats)
    reaches.set(format, await probeFormat(format, { gateway, provider, patienceMs }));
  const trouble = troubleIn([...reaches.values()].map(({ reach }) => reach));
  if (trouble !== undefined) {
    const [[format = 'openai-chat', probe] = []] = reaches;
    error(`conformance: ${SENTENCES[trouble](gateway.urlOf(format), provider.url)}\n`);
    if (trouble !== 'no-answer') error(`It answered: ${probe?.words}\n`);
    return EXIT[trouble];
  }
  const result = await judgeRows(options, gateway, { provider, args, reaches });
  const text = writeResult(result, options.output);
  if (options.file === undefined) out(text);
  else {
    writeFileSync(options.file, text);
    out(`${summaryOf(result)} Written to ${options.file}.\n`);
  }
  if (result.verdicts.length === 0) {
    error('conformance: no case was judged, so this run says nothing about the gateway.\n');
    return EXIT['nothing-judged'];
  }
  return failuresIn(result).length > 0 || isCutShort(result) ? EXIT.failed : EXIT.passed;
}

const TIME_IS_UP = 'the time limit was reached';

const isCutShort = ({ skipped }: Result): boolean => skipped.some(({ reason }) => reason === TIME_IS_UP);

interface Judging {
  readonly provider: WireProvider;
  readonly args: readonly string[];
  readonly reaches: ReadonlyMap<FormatName, { readonly reach: Reach }>;
}

async function judgeRows(
  options: Options,
  gateway: Gateway,
  { provider, args, reaches }: Judging,
): Promise<Result> {
  const { seed, patienceMs, timeLimitMs, areFormatsChosen, groups } = options;
  const start = performance.now();
  const verdicts: Verdict[] = [];
  const skipped: Skipped[] = [];
  const isReached = (format: FormatName) => areFormatsChosen || reaches.get(format)?.reach === 'reached';
  for (const [at, { one, format }] of rowsOf(options).entries()) {
    const group = groupOf(one);
    const row: Row = { id: one.id, group, format, promise: one.promise };
    const isLate = performance.now() - start >= timeLimitMs;
    const number = MARKERS_OF_CASE * (at + 1);
    if (!isReached(format)) skipped.push({ ...row, reason: `${format} does not reach the provider` });
    else if (!groups.has(group)) skipped.push({ ...row, reason: 'not claimed (--claims)' });
    else if (isLate) skipped.push({ ...row, reason: TIME_IS_UP });
    else verdicts.push(await judgeCase(one, format, number, { gateway, provider, seed, patienceMs }));
  }
  const seconds = (performance.now() - start) / 1_000;
  return { verdicts, skipped, command: commandOf(args), seed, seconds };
}

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

function rowsOf({
  only,
  formats,
}: Options): { readonly one: ConformanceCase; readonly format: FormatName }[] {
  const patterns = only.map((pattern) => patternOf(pattern));
  return CASES.filter(
    ({ id }) => patterns.length === 0 || patterns.some((pattern) => pattern.test(id)),
  ).flatMap((one) =>
    one.formats.filter((format) => formats.includes(format)).map((format) => ({ one, format })),
  );
}

/** Returns an expression in which `*` stands for any characters. */
function patternOf(pattern: string): RegExp {
  return new RegExp(`^${pattern.replace(/[\\^$.+?()[\]{}|]/g, '\\$&').replaceAll('*', '.*')}$`);
}

function sourcesOf({ sources, breaks }: ConformanceCase): string {
  const urls = sources.map((name) => `    ${SOURCES[name]}\n`).join('');
  return breaks === undefined ? urls : `${urls}    without it: ${breaks}\n`;
}

/** Returns the reason for which no format can be judged; undefined if at least one can. */
function troubleIn(reaches: readonly Reach[]): 'no-answer' | 'wants-key' | 'not-reached' | undefined {
  if (reaches.includes('reached') || reaches.length === 0) return undefined;
  if (reaches.every((reach) => reach === 'no-answer')) return 'no-answer';
  return reaches.includes('wants-key') ? 'wants-key' : 'not-reached';
}

const SENTENCES = {
  'no-answer': (url: string) => `nothing answers at ${url}; start the gateway first, or name its address.`,
  'wants-key': (url: string) => `the gateway at ${url} wants a key; name one with --key, or with --header.`,
  'not-reached': (url: string, provider: string) =>
    `the gateway at ${url} answers, but no request reached the provider; point its upstreams at ${provider}.`,
};

/** Returns the text that says how to point a gateway at the providers. */
function howToPoint(port: number): string {
  const base = `http://127.0.0.1:${port}`;
  const lines = Object.values(CLIENT_FORMATS).map(
    ({ title, path }) => `  ${title.padEnd(26)} ${base}${path('MODEL', false)}`,
  );
  return `conformance: name the address of the gateway, such as http://127.0.0.1:8787.

While the cases run, one scripted provider for all formats listens on ${base}. Point the gateway's
upstreams there before; it expects these paths, whatever the base URL of a format is called:

${lines.join('\n')}

Any key will do: the provider accepts all of them. Then: npm run conformance -- ADDRESS`;
}
