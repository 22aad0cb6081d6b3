import { parseArgs } from 'node:util';
import { type Group, JUDGED_ALWAYS, JUDGED_IF_CLAIMED } from './conformance-case.ts';
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
  /** Patterns of ids; empty for all. `*` stands for any characters. */
  readonly only: readonly string[];
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
  --only ID,…             judge these cases alone; * stands for any characters: streams/*
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
  -h, --help              print this text and end

Exit codes: 0 all passed · 1 some failed · 2 wrong usage · 3 the address does not answer · 4 the gateway wants a key ·
5 no request reached the provider · 6 no case was judged.`;

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
    port: numberOf(values.port, '--port', 8_799),
    formats: formats ?? FORMAT_NAMES,
    areFormatsChosen: formats !== undefined,
    groups: new Set<Group>([...JUDGED_ALWAYS, ...claimed]),
    only: values.only?.split(',') ?? [],
    isList: values.list ?? false,
    output,
    file: values.file,
    seed: numberOf(values.seed, '--seed', 1),
    timeLimitMs: 1_000 * numberOf(values['time-limit'], '--time-limit', 120),
    patienceMs: 1_000 * numberOf(values.patience, '--patience', 4),
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
    throw new UsageError((error as Error).message);
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

function numberOf(text: string | undefined, option: string, usual: number): number {
  const value = text === undefined ? usual : Number(text);
  if (!Number.isFinite(value) || value < 0) throw new UsageError(`${option}: "${text}" is not a number`);
  return value;
}

type Values = ReturnType<typeof parse>['values'];

function gatewayOf(address: string, { header = [], key, model = [], at = [] }: Values): Gateway {
  const url = addressOf(address);
  const models = new Map(model.map((entry) => pairOf(entry, '--model')));
  const urls = new Map(at.map((entry) => pairOf(entry, '--at')));
  const headers = header.map((line): [string, string] => {
    const [, name, value] = /^([^:\s]+):\s*(.*)$/.exec(line) ?? [];
    if (name === undefined) throw new UsageError(`--header: "${line}" is not NAME: VALUE`);
    return [name, value ?? ''];
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
    ['authorization', `Bearer ${key}`],
    ['x-api-key', key],
    ['x-goog-api-key', key],
  ];
}

function pairOf(entry: string, option: string): [string, string] {
  const at = entry.indexOf('=');
  const name = entry.slice(0, at);
  if (!(FORMAT_NAMES as readonly string[]).includes(name))
    throw new UsageError(`${option}: "${entry}" is not FORMAT=VALUE`);
  return [name, entry.slice(at + 1)];
}

function addressOf(text: string): string {
  if (!/^http:\/\//.test(text) || !URL.canParse(text))
    throw new UsageError(`"${text}" is no address such as http://127.0.0.1:8787`);
  return text.replace(/\/$/, '');
}
