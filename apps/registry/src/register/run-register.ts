import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { RegisterResponse } from '@winnow/core';
import { isNamespace } from '@winnow/registry';
import { causeCode, openHttpPool, readFile } from '@winnow/service';
import { z } from 'zod';
import { readToken } from '../config.ts';
import type { BackendChoice } from './placement.ts';
import { type Entry, readRegistrationFile } from './registration-file.ts';

/** The registry that the tools go to. */
export interface RegistryAddress {
  readonly url: URL;
  readonly token: string | undefined;
}

/** Response of a registry to one request, or its problems, one sentence each. */
export type Sending =
  | { readonly ok: true; readonly response: RegisterResponse }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Far below the limits of a registry: 1,000 tools, 250,000 values and 16 MiB. */
const MOST_TOOLS = 500;
const MOST_CHARACTERS = 1024 * 1024;

/** A registry may have to write to a disk that is busy. */
const TIMEOUT_MS = 60_000;

/** Divides entries into lists that a registry takes at once, in their order. */
function inBatches(entries: readonly Entry[]): Entry[][] {
  const batches: Entry[][] = [];
  let characters = 0;
  for (const entry of entries) {
    const length = JSON.stringify(entry.registration).length;
    const last = batches.at(-1);
    if (last === undefined || last.length === MOST_TOOLS || characters + length > MOST_CHARACTERS) {
      batches.push([entry]);
      characters = length;
    } else {
      last.push(entry);
      characters += length;
    }
  }
  return batches;
}

const Refused = z.object({
  error: z.object({
    message: z.string(),
    details: z.array(z.object({ path: z.string(), message: z.string() })).default([]),
  }),
});

/** Registers all entries of a batch, or none; with `isDryRun`, only reports what would happen. Never rejects. */
async function sendBatch(
  batch: readonly Entry[],
  { url, token }: RegistryAddress,
  isDryRun: boolean,
): Promise<Sending> {
  const tools = batch.map(({ registration }) => registration);
  const pool = openHttpPool({ connections: 1 });
  try {
    const { origin, pathname: path } = new URL('v1/registry/tools', url);
    const { statusCode, body: answer } = await pool.request({
      ...{ origin, path, method: 'PUT' },
      headers: {
        'content-type': 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ tools, dry_run: isDryRun }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const body: unknown = await answer.json().catch(() => undefined);
    const registered = RegisterResponse.safeParse(body);
    if (statusCode === 200 && registered.success) return { ok: true, response: registered.data };
    return { ok: false, problems: problemsOf(statusCode, body, batch, url) };
  } catch (error) {
    const cause = causeCode(error) ?? (error as Error).name;
    return { ok: false, problems: [`${url.origin} cannot be reached (${cause}).`] };
  } finally {
    await pool.destroy();
  }
}

function problemsOf(status: number, body: unknown, batch: readonly Entry[], { origin }: URL): string[] {
  const refused = Refused.safeParse(body);
  if (!refused.success) return [`${origin} answered with status ${status}, unlike a registry.`];
  const { message, details } = refused.data.error;
  const named = details.map(({ path, message: said }) => {
    const [, position = '', below = ''] = /^tools\.(\d+)\.?(.*)$/.exec(path) ?? [];
    const place = batch[Number(position || -1)]?.place ?? path;
    return `${place}${below === '' ? '' : `, ${below.replace(/^tool\./, '')}`}: ${said}`;
  });
  if (named.length > 0) return named;
  const advice = status === 401 ? ' The token is read from the variable TOKEN.' : '';
  return [`${origin}: ${message}${advice}`];
}

/** The output of a command, line by line. */
export interface Output {
  print(line: string): void;
  printError(line: string): void;
}

const DEFAULT_URL = 'http://127.0.0.1:8789';

const USAGE = `Usage: npm run register -- FILE [options]

Registers the tools of a file in a registry: all of them, or none if one has a problem. A tool that is
registered already changes where it differs; tools that the file does not have stay.

FILE has tools in JSON, one on each line or all in one array, as MCP or any provider defines them; or it
is an OpenAPI document in JSON or YAML, whose operations become tools.

  --registry URL     the registry (default ${DEFAULT_URL}); its token is read from TOKEN
  --namespace NAME   the namespace of tools that name none
  --tag TAG          a tag of all tools; may be repeated
  --backend B        where calls go: local[:HANDLER], provider:NAME or mcp:SERVER. By default the address
                     in the OpenAPI document; for other files local, with the tool's name as the handler
  --dry-run          says what would change, and changes nothing
  --help             this text`;

/** Exit codes: the tools are not all registered; the command line is wrong. */
const EXIT = { failed: 1, badUsage: 2 } as const;

/** More lines than this are counted, not listed. */
const MOST_LISTED = 20;

function listed(lines: readonly string[], noun: string): string[] {
  const more = lines.length - MOST_LISTED;
  return more > 0 ? [...lines.slice(0, MOST_LISTED), `And ${more} more ${noun}.`] : [...lines];
}

/** Runs the command `register` and returns its exit code. */
export async function runRegister(words: readonly string[], output: Output): Promise<number> {
  const read = readOptions(words);
  if (read === 'help') {
    output.print(USAGE);
    return 0;
  }
  if (typeof read === 'string') {
    output.printError(`register: ${read}\n\n${USAGE}`);
    return EXIT.badUsage;
  }
  const fail = (problems: readonly string[], outcome = 'Nothing is registered.') => {
    for (const line of [...listed(problems, 'problems'), outcome]) output.printError(line);
    return EXIT.failed;
  };
  const text = readFile(read.file);
  if (text === undefined) return fail([`${read.file} cannot be read.`]);
  const reading = readRegistrationFile(basename(read.file), text, read);
  if (!reading.ok) return fail(reading.problems);
  for (const line of listed(reading.notices, 'names')) output.print(line);
  for (const line of reading.leftOut) output.printError(`Left out: ${line}`);
  const code = await register(reading.entries, read, output, fail);
  return reading.leftOut.length > 0 ? EXIT.failed : code;
}

/** Checks all tools before it changes any, so that nothing is registered if a later one is refused. */
async function register(
  entries: readonly Entry[],
  { registry, isDryRun }: Options,
  output: Output,
  fail: (problems: readonly string[], outcome?: string) => number,
): Promise<number> {
  const batches = inBatches(entries);
  const effects: NonNullable<Awaited<ReturnType<typeof ask>>['effects']>[] = [];
  const problems: string[] = [];
  for (const batch of batches) {
    const asked = await ask(batch, registry);
    problems.push(...asked.problems);
    effects.push(asked.effects);
  }
  if (problems.length > 0) return fail(problems);
  const all = effects.flat();
  if (isDryRun) {
    for (const { id, tool_name, effect } of all) {
      if (effect !== 'unchanged')
        output.print(`${effect === 'registered' ? 'new' : 'changed'}  ${id}  (${tool_name})`);
    }
    output.print(`${summary(countsOf(all))}. Nothing is registered yet.`);
    return 0;
  }
  const total = { registered: 0, updated: 0, unchanged: 0 };
  let done = 0;
  for (const batch of batches) {
    const sent = await sendBatch(batch, registry, false);
    if (!sent.ok) {
      const known = `${done} of ${entries.length} tools are known to be registered. Run the command again: registering a tool twice changes nothing.`;
      return fail(sent.problems, known);
    }
    done += batch.length;
    for (const effect of ['registered', 'updated', 'unchanged'] as const)
      total[effect] += sent.response[effect];
  }
  output.print(`${summary(total)}.`);
  return 0;
}

async function ask(batch: readonly Entry[], registry: RegistryAddress) {
  const sent = await sendBatch(batch, registry, true);
  return sent.ok
    ? { problems: [], effects: sent.response.tools ?? [] }
    : { problems: sent.problems, effects: [] };
}

type Counts = Readonly<Record<'registered' | 'updated' | 'unchanged', number>>;

function countsOf(effects: readonly { readonly effect: keyof Counts }[]): Counts {
  const count = (wanted: keyof Counts) => effects.filter(({ effect }) => effect === wanted).length;
  return { registered: count('registered'), updated: count('updated'), unchanged: count('unchanged') };
}

function summary({ registered, updated, unchanged }: Counts): string {
  const tools = registered + updated + unchanged;
  return `${tools} tool${tools === 1 ? '' : 's'}: ${registered} new, ${updated} changed, ${unchanged} unchanged`;
}

interface Options {
  readonly file: string;
  readonly registry: RegistryAddress;
  readonly namespace: string | undefined;
  readonly tags: readonly string[];
  readonly backend: BackendChoice | undefined;
  readonly isDryRun: boolean;
}

/** The options, `help`, or the problem of the command line as a sentence. */
function readOptions(words: readonly string[]): Options | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        registry: { type: 'string', default: DEFAULT_URL },
        namespace: { type: 'string' },
        tag: { type: 'string', multiple: true, default: [] },
        backend: { type: 'string' },
        'dry-run': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return 'help';
    const [file, ...others] = positionals;
    if (file === undefined || others.length > 0) return 'one FILE is needed.';
    const url = readUrl(values.registry);
    if (url === undefined) return `--registry takes an address such as ${DEFAULT_URL}.`;
    const { namespace, tag: tags, 'dry-run': isDryRun } = values;
    if (namespace !== undefined && !isNamespace(namespace))
      return '--namespace takes at most 64 of the characters a-z 0-9 . _ -, the first a letter or digit.';
    const backend = values.backend === undefined ? undefined : readBackend(values.backend);
    if (values.backend !== undefined && backend === undefined)
      return '--backend takes local, local:HANDLER, provider:NAME or mcp:SERVER.';
    return { file, registry: { url, token: readToken() }, namespace, tags, backend, isDryRun };
  } catch (error) {
    return (error as Error).message;
  }
}

function readUrl(text: string): URL | undefined {
  const url = URL.parse(text.endsWith('/') ? text : `${text}/`);
  return url !== null && /^https?:$/.test(url.protocol) ? url : undefined;
}

function readBackend(text: string): BackendChoice | undefined {
  if (text === 'local') return { kind: 'local' };
  const [, kind, name] = /^(local|provider|mcp):(.+)$/.exec(text) ?? [];
  if (name === undefined) return undefined;
  if (kind === 'local') return { kind, handler: name };
  return kind === 'mcp' ? { kind, server: name } : { kind: 'provider', provider: name };
}
