import { accessSync, constants, existsSync } from 'node:fs';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { CASES } from './cases/cases.ts';
import { GROUPS, type Group, JUDGED_ALWAYS, JUDGED_IF_CLAIMED } from './conformance-case.ts';
import { FORMAT_NAMES, type FormatName, type HeaderList } from './formats/client-format.ts';
import { CLIENT_FORMATS } from './formats/formats.ts';
import { OUTPUTS, type OutputName } from './output/outputs.ts';
import type { Gateway } from './run.ts';

/** The options of a run. */
export interface Options {
  /** Undefined if the command line names no gateway. */
  readonly gateway: Gateway | undefined;
  readonly port: number;
  readonly formats: readonly FormatName[];
  /** Whether the command line chose the formats; each of them is judged then, even if it does not work at all. */
  readonly areFormatsChosen: boolean;
  readonly groups: ReadonlySet<Group>;
  /** Patterns of ids; empty for all. */
  readonly only: readonly RegExp[];
  readonly isList: boolean;
  readonly output: OutputName;
  /** Path of a file; standard output by default. */
  readonly file: string | undefined;
  readonly seed: number;
  readonly timeLimitMs: number;
  readonly patienceMs: number;
}

/** The help text. */
export const USAGE = `Usage: npm run conformance -- ADDRESS [options]

Starts scripted providers, sends requests through the gateway at ADDRESS, and judges what arrives on both sides.
Point the gateway's upstreams at http://127.0.0.1:8799 first; without ADDRESS the command says how.

  --format NAME,…         judge these formats: ${FORMAT_NAMES.join(', ')}
                          default: all that the gateway passes to the provider
  --claims GROUP,…        judge these groups, too: ${JUDGED_IF_CLAIMED.join(', ')}, or all
                          always judged: ${JUDGED_ALWAYS.join(', ')}
  --only ID,…             judge these cases alone, or a group: streams; * stands for any characters: errors/429-*
  --list                  print the cases and end
  --header "NAME: VALUE"  send this header to the gateway with each request; may be repeated
  --key KEY               send KEY as the client's credential; the gateway has one of its own for the provider
  --model FORMAT=NAME     the model of a format, as the gateway knows it; may be repeated
  --at FORMAT=ADDRESS     the address of one format, where it differs; may be repeated
  --port PORT             port of the providers (8799)
  --output NAME           ${OUTPUTS.join(', ')} (terminal)
  --file PATH             write the output to a file, and a summary to the terminal
  --seed NUMBER           seed of what is random (1)
  --time-limit SECONDS    the whole run (120)
  --patience SECONDS      one thing that should arrive (4)
  -h, --help              print this text and exit

Exit codes: 0 all passed · 1 some failed · 2 wrong usage · 3 the address does not answer · 4 the gateway wants a key ·
5 no request reached the provider · 6 no case was judged · 130 stopped by Ctrl-C.

An https address whose certificate a private authority signed needs NODE_EXTRA_CA_CERTS=FILE before the command.`;

/** A mistake on the command line. */
export class UsageError extends Error {}

/** Reads the command line. Throws a {@link UsageError} that names the mistake. */
export function readOptions(args: readonly string[]): Options | 'help' {
  const { values, positionals } = parse(args);
  if (values.help) return 'help';
  if (positionals.length > 1) throw new UsageError(`one address is enough: ${positionals.join(' ')}`);
  const formats = listOf(values.format, FORMAT_NAMES, '--format');
  const claims = listOf(values.claims, [...JUDGED_IF_CLAIMED, 'all'] as const, '--claims') ?? [];
  const claimed = claims.includes('all') ? JUDGED_IF_CLAIMED : (claims as readonly Group[]);
  const [output = 'terminal'] = listOf(values.output, OUTPUTS, '--output') ?? [];
  return {
    gateway: positionals[0] === undefined ? undefined : gatewayOf(positionals[0], values),
    port: numberOf(values.port, '--port', { usual: 8_799, most: 65_535, isWhole: true }),
    formats: formats ?? FORMAT_NAMES,
    areFormatsChosen: formats !== undefined,
    groups: new Set<Group>([...JUDGED_ALWAYS, ...claimed]),
    only: (values.only?.split(',') ?? []).map(patternOf),
    isList: values.list ?? false,
    output,
    file: values.file === undefined ? undefined : fileOf(values.file),
    seed: numberOf(values.seed, '--seed', { usual: 1, isWhole: true }),
    timeLimitMs: 1_000 * numberOf(values['time-limit'], '--time-limit', { usual: 120 }),
    patienceMs: 1_000 * numberOf(values.patience, '--patience', { usual: 4, least: 0.05 }),
  };
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const texts = { type: 'string', multiple: true } as const;
  const flag = { type: 'boolean' } as const;
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...{ format: text, claims: text, only: text, list: flag, port: text, output: text, file: text },
        ...{ header: texts, key: text, model: texts, at: texts, seed: text },
        ...{ 'time-limit': text, patience: text, help: { ...flag, short: 'h' } },
      },
    });
  } catch (error) {
    // What Node adds is about positional arguments that begin with a dash.
    throw new UsageError((error as Error).message.split('. To specify', 1)[0]!);
  }
}

function listOf<Name extends string>(
  text: string | undefined,
  known: readonly Name[],
  option: string,
): readonly Name[] | undefined {
  const names = text?.split(',').filter(Boolean);
  const stranger = names?.find((name) => !known.includes(name as Name));
  if (stranger !== undefined) throw new UsageError(`${option}: "${stranger}" is none of ${known.join(', ')}`);
  return names as readonly Name[] | undefined;
}

interface Range {
  readonly usual: number;
  readonly least?: number;
  readonly most?: number;
  readonly isWhole?: boolean;
}

function numberOf(
  text: string | undefined,
  option: string,
  { usual, least = 0, most = Number.MAX_SAFE_INTEGER, isWhole = false }: Range,
): number {
  const value = text === undefined ? usual : Number(text);
  if (text?.trim() === '' || !Number.isFinite(value) || (isWhole && !Number.isInteger(value)))
    throw new UsageError(`${option}: "${text}" is not a ${isWhole ? 'whole ' : ''}number`);
  if (value < least) throw new UsageError(`${option}: ${text} is less than ${least}`);
  if (value > most) throw new UsageError(`${option}: ${text} is more than ${most}`);
  return value;
}

/** Returns an expression for ids in which `*` stands for any characters; a group stands for its cases. */
function patternOf(text: string): RegExp {
  const pattern = (GROUPS as readonly string[]).includes(text) ? `${text}/*` : text;
  const found = new RegExp(`^${pattern.replace(/[\\^$.+?()[\]{}|]/g, '\\$&').replaceAll('*', '.*')}$`);
  if (CASES.some(({ id }) => found.test(id))) return found;
  throw new UsageError(`--only: no case is named "${text}"; --list prints all of them`);
}

/** Checks that a file can be written before the run, not after it. */
function fileOf(path: string): string {
  try {
    accessSync(existsSync(path) ? path : dirname(path), constants.W_OK);
    return path;
  } catch (error) {
    throw new UsageError(`--file: ${path} cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
}

type Values = ReturnType<typeof parse>['values'];

function gatewayOf(address: string, { header = [], key, model = [], at = [] }: Values): Gateway {
  const url = addressOf(address);
  const models = new Map(model.map((entry) => pairOf(entry, '--model')));
  const urls = new Map(at.map((entry) => pairOf(entry, '--at')));
  const headers = header.map((line): [string, string] => {
    const [, name, value] = /^([^:\s]+):\s*(.*)$/.exec(line) ?? [];
    if (name === undefined) throw new UsageError(`--header: "${line}" is not NAME: VALUE`);
    return headerOf(name, value ?? '', '--header');
  });
  return {
    urlOf: (format) => addressOf(urls.get(format) ?? url),
    modelOf: (format) => models.get(format) ?? CLIENT_FORMATS[format].model,
    headers: [...headers, ...credentialOf(key)],
    hasKey: key !== undefined,
  };
}

/** A key replaces the credential in every form in which clients send one. */
function credentialOf(key: string | undefined): HeaderList {
  if (key === undefined) return [];
  return [
    headerOf('authorization', `Bearer ${key}`, '--key'),
    headerOf('x-api-key', key, '--key'),
    headerOf('x-goog-api-key', key, '--key'),
  ];
}

function headerOf(name: string, value: string, option: string): [string, string] {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return [name, value];
  } catch {
    throw new UsageError(`${option}: the header ${name} cannot have this name or value`);
  }
}

function pairOf(entry: string, option: string): [string, string] {
  const at = entry.indexOf('=');
  const name = entry.slice(0, at);
  if (at < 1) throw new UsageError(`${option}: "${entry}" is not FORMAT=VALUE`);
  listOf(name, FORMAT_NAMES, option);
  return [name, entry.slice(at + 1)];
}

/** Returns an address without a slash at its end; one without a scheme is plain HTTP. */
function addressOf(text: string): string {
  const address = /^[\w.-]+(?::\d+)?(?:\/.*)?$/.test(text) ? `http://${text}` : text;
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError(`"${text}" is no address such as http://127.0.0.1:8787`);
  if (url.username || url.search || url.hash)
    throw new UsageError(`"${text}" has more than a host and a path; --key and --header send credentials`);
  return address.replace(/\/$/, '');
}
