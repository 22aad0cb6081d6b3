import { isJsonObject, isNamespace } from '@winnow/registry';
import { nearestName, parseDuration, readDocument, readSecretFile } from '@winnow/service';
import { z } from 'zod';
import {
  ENTRY_DEFAULTS,
  ISOLATIONS,
  networkVariables,
  type ServerAuth,
  type ServerEntry,
} from '../server-entry.ts';
import { bothOf, type PlainEntry, type SwitchedOff, switchedOffIn, toPlainEntry } from './agent-keys.ts';

export interface ServersFile {
  readonly entries: readonly ServerEntry[];
  /** All problems, one sentence each, with their places in the file. Without problems, all entries are present. */
  readonly problems: readonly string[];
  /** Ignored keys of other programs. */
  readonly notices: readonly string[];
  /** Environment variables that the file refers to. */
  readonly variables: readonly string[];
  /** Files that the file refers to. */
  readonly files: readonly string[];
}

/** Keys under which agents and editors keep servers: Claude, Cursor, Windsurf, Gemini CLI; VS Code. */
const ROOTS = ['mcpServers', 'servers'] as const;

/** Most servers of one file. */
const MAX_SERVERS = 1_000;

/**
 * Reads a file of MCP servers as agents write it, JSON (with comments) or YAML: `mcpServers`, or `servers` as VS Code has it, with a name for
 * each. Whatever else the file holds is left to the program that it belongs to. No problem quotes a value. Never throws.
 */
export function readServers(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): ServersFile {
  const nothing = { entries: [], notices: [], variables: [], files: [] };
  const document = readDocument(text);
  if (!document.ok) return { ...nothing, problems: document.problems };
  const { value } = document;
  if (!isJsonObject(value))
    return { ...nothing, problems: ['The file must hold an object with mcpServers.'] };
  const root = ROOTS.find((key) => Object.hasOwn(value, key));
  if (root === undefined) return { ...nothing, problems: [missingRoot(Object.keys(value))] };
  const { [root]: servers } = value;
  if (!isJsonObject(servers))
    return { ...nothing, problems: [`${root} must be an object with a name for each server.`] };
  const named = Object.entries(servers);
  const off = switchedOffIn(value);
  if (named.length > MAX_SERVERS)
    return { ...nothing, problems: [`${root} has more than ${MAX_SERVERS} servers.`] };
  const reading = { environment, allowsCommands: true, tenant: undefined };
  const outcomes = named.map(
    ([name, entry]) => [name, readEntry(name, entry, `${root}.${name}`, reading)] as const,
  );
  return {
    entries: outcomes.flatMap(([name, outcome]) =>
      outcome.ok ? [withoutOff(name, outcome.entry, off)] : [],
    ),
    problems: outcomes.flatMap(([, outcome]) => (outcome.ok ? [] : outcome.problems.map(toSentence))),
    notices: [
      ...outcomes.flatMap(([name, outcome]) =>
        outcome.ok
          ? outcome.dropped.map(({ key, remedy }) => ({ key: `${root}.${name}.${key}`, remedy }))
          : [],
      ),
      ...off.dropped,
    ].map(({ key, remedy }) => `${key} has no effect here: ${remedy}.`),
    variables: variablesIn(text),
    files: filesIn(text),
  };
}

/** Keeps out of use what the document switches off outside of its entries. */
function withoutOff(name: string, entry: ServerEntry, off: SwitchedOff): ServerEntry {
  const tools = off.toolsOf(name);
  const exclude = [...entry.exclude, ...tools.exclude];
  const include = bothOf(entry.include, tools.include);
  return { ...entry, include, exclude, isEnabled: entry.isEnabled && !off.isOff(name) };
}

function toSentence({ path, message }: ConfigProblem): string {
  return `${path} ${message}.`;
}

function missingRoot(keys: readonly string[]): string {
  const close = keys.find((key) => /mcp|server/i.test(key));
  const meant = close === undefined ? '' : ` (is it meant by ${close}?)`;
  return `The file has no mcpServers${meant}: an object with a name for each server, and its command or url.`;
}

/** Something that is wrong with a configuration, with its place, such as `mcpServers.github.args.0`. */
interface ConfigProblem {
  readonly path: string;
  readonly message: string;
}

/** Permissions of an entry, by its origin. */
interface EntryReading {
  /** Variables allowed in strings; undefined if none are. */
  readonly environment: Readonly<Record<string, string | undefined>> | undefined;
  /** Whether it may name a command, which this machine then runs. */
  readonly allowsCommands: boolean;
  /** Whether it says whose it is; undefined where it does. */
  readonly tenant: string | undefined;
}

type EntryOutcome =
  | { readonly ok: true; readonly entry: ServerEntry; readonly dropped: PlainEntry['dropped'] }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

/** The longest time that Node's timers can wait, roughly. */
const LONGEST_MS = 24 * 86_400_000;

const text = z
  .string('must be a text')
  .refine((value) => value.isWellFormed() && !value.includes('\0'), 'must be a text');
const texts = z.array(text, 'must be a list of texts');
/** An empty name is that of no tool, and hides that a list restricts nothing. */
const globs = z.array(text.min(1, 'must not be empty'), 'must be a list of texts');
const flag = z.boolean('must be true or false');

/** Texts by their names; numbers and booleans count as their texts. */
const textsByName = z
  .record(
    z.string(),
    z.preprocess((one) => (typeof one === 'number' || typeof one === 'boolean' ? String(one) : one), text),
    'must be an object of texts',
  )
  .default({});

function oneOf<const Choices extends readonly string[]>(choices: Choices) {
  return z.enum(choices, `must be one of ${choices.join(', ')}`);
}

function duration(leastMs: number) {
  const allowed = `must be a duration such as 30s, 5m or 1h, at least ${leastMs} ms and at most 24 days`;
  return z
    .string(allowed)
    .transform((value) => parseDuration(value) ?? -1)
    .refine((ms) => ms >= leastMs && ms <= LONGEST_MS, allowed);
}

const url = text.refine((value) => {
  const parsed = URL.parse(value);
  return parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.hash === '';
}, 'must be an address that begins with https:// or http://');

/** https://www.rfc-editor.org/rfc/rfc9110#section-5.1 */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

const headers = textsByName.superRefine((values, context) => {
  for (const [name, value] of Object.entries(values)) {
    const refuse = (message: string) => context.addIssue({ code: 'custom', path: [name], message });
    if (!HEADER_NAME.test(name)) refuse('is not the name of a header');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
    if (/[\u0000-\u0008\u000a-\u001f\u007f]|[^\u0000-\u00ff]/.test(value))
      refuse('has characters that no header can carry');
  }
});

const AUTH = {
  type: z.enum(['bearer', 'client_credentials'], 'must be bearer or client_credentials'),
  token: text.optional(),
  client_id: text.optional(),
  client_secret: text.optional(),
  scope: text.optional(),
  issuer: text.optional(),
};

const auth = z.strictObject(AUTH, 'must be an object').transform((given, context): ServerAuth => {
  const { type, token, client_id: clientId, client_secret: clientSecret, scope, issuer } = given;
  const refuse = (key: string, message: string) => {
    context.addIssue({ code: 'custom', path: [key], message });
    return z.NEVER;
  };
  if (type === 'bearer') {
    const isBearer = token !== undefined && /^[A-Za-z0-9\-._~+/]+=*$/.test(token);
    return isBearer ? { type, token } : refuse('token', 'must be a bearer token');
  }
  if (!clientId || !clientSecret) return refuse(clientId ? 'client_secret' : 'client_id', 'must be there');
  if (issuer !== undefined && URL.canParse(issuer)) return { type, clientId, clientSecret, scope, issuer };
  return refuse('issuer', 'must be the address of the authorization server: the secret goes to no other');
});

const REFRESH = { min: duration(1_000).optional(), max: duration(1_000).optional() };

const refresh = z.strictObject(REFRESH, 'must be an object').transform(({ min, max }, context) => {
  const { minMs, maxMs } = ENTRY_DEFAULTS.refresh;
  const bounds = { minMs: min ?? Math.min(minMs, max ?? minMs), maxMs: max ?? Math.max(maxMs, min ?? maxMs) };
  if (bounds.minMs > bounds.maxMs)
    context.addIssue({ code: 'custom', path: ['min'], message: 'must not be longer than max' });
  return bounds;
});

const { connectMs, listMs, callMs } = ENTRY_DEFAULTS.timeouts;
const TIMEOUTS = {
  connect: duration(100).default(connectMs),
  list: duration(100).default(listMs),
  call: duration(100).default(callMs),
};

/** The keys of an entry: those of agents, and ours. */
const KEYS = {
  type: oneOf(['stdio', 'local', 'http', 'streamable-http', 'streamableHttp', 'remote', 'sse']).optional(),
  command: text.optional(),
  args: texts.default([]),
  env: textsByName,
  cwd: text.optional(),
  url: url.optional(),
  headers,
  auth: auth.optional(),
  deny_private: flag.default(false),
  tenant: text.regex(/^[A-Za-z0-9._-]{1,64}$/, 'must be the name of a tenant').default(ENTRY_DEFAULTS.tenant),
  namespace: text
    .refine(
      (value) => value === '' || isNamespace(value),
      'must begin with a-z or 0-9 and have at most 64 of the characters a-z 0-9 . _ - or be empty for none',
    )
    .optional(),
  prefix: text
    .regex(/^[A-Za-z0-9_-]{0,32}$/, 'must be at most 32 of the characters A-Z a-z 0-9 _ -')
    .optional(),
  share_with: texts.default([]),
  isolation: oneOf(ISOLATIONS).optional(),
  max_processes: z
    .int('must be a whole number from 1 to 1000')
    .refine((count) => count >= 1 && count <= 1_000, 'must be a whole number from 1 to 1000')
    .default(ENTRY_DEFAULTS.maxProcesses),
  tags: texts.default([]),
  include: globs.optional(),
  exclude: globs.default([]),
  enabled: flag.optional(),
  trust: oneOf(['none', 'annotations']).optional(),
  pin: flag.default(false),
  refresh: refresh.default(ENTRY_DEFAULTS.refresh),
  timeouts: z
    .strictObject(TIMEOUTS, 'must be an object')
    .transform(({ connect, list, call }) => ({ connectMs: connect, listMs: list, callMs: call }))
    .default(ENTRY_DEFAULTS.timeouts),
  drop_after: duration(0).default(ENTRY_DEFAULTS.dropAfterMs),
};

const Entry = z.strictObject(KEYS, 'must be an object');

/** Known keys by the place of their object, to suggest for misspelt ones. */
const KNOWN: Readonly<Record<string, object>> = {
  '': KEYS,
  auth: AUTH,
  refresh: REFRESH,
  timeouts: TIMEOUTS,
};

const NAME = /^[^\p{Cc}\p{Zl}\p{Zp}]{1,128}$/u;

/**
 * Reads one server as agents write it (`command`, `args`, `env`, `cwd`, or `url`, `headers`, with or without
 * `type`), extended by keys of our own, or returns all of its problems. Accepts any value and never throws.
 *
 * @param path Its path, such as `mcpServers.github`.
 */
export function readEntry(name: string, value: unknown, path: string, reading: EntryReading): EntryOutcome {
  const problems: ConfigProblem[] = [];
  const refuse = (message: string, key = '') =>
    problems.push({ path: key === '' ? path : `${path}.${key}`, message });
  if (!NAME.test(name) || !name.isWellFormed() || name.trim() !== name)
    refuse('needs a name of 1 to 128 characters, without line ends or blanks around it');
  const { entry: own, dropped } = isJsonObject(value) ? toPlainEntry(value) : { entry: value, dropped: [] };
  const unexpanded = new Set<string>();
  const expanded = expandTexts(own, reading.environment, (key, message) => {
    unexpanded.add(key);
    refuse(message, key);
  });
  const { success, data: given, error } = Entry.safeParse(expanded);
  for (const issue of error?.issues ?? []) {
    const key = issue.path.join('.');
    if (issue.code === 'unrecognized_keys')
      for (const own of issue.keys) refuse(misspelt(own, key), key === '' ? own : `${key}.${own}`);
    else if (!unexpanded.has(key)) refuse(issue.message, key);
  }
  if (reading.tenant !== undefined && isJsonObject(own) && own.tenant !== undefined)
    refuse('is not a key here: it is the tenant of the token', 'tenant');
  if (!success || problems.length > 0) return { ok: false, problems };
  const transport = readTransport(given, reading, refuse);
  if (transport === undefined) return { ok: false, problems };
  const { refresh, timeouts } = given;
  const entry = {
    ...{ name, transport, refresh, timeouts },
    tenant: reading.tenant ?? given.tenant,
    namespace: given.namespace ?? toNamespace(name),
    prefix: given.prefix,
    sharedWith: given.share_with,
    isolation: given.isolation,
    maxProcesses: given.max_processes,
    tags: given.tags,
    include: given.include,
    exclude: given.exclude,
    isEnabled: given.enabled ?? true,
    trustsAnnotations: given.trust === 'annotations',
    isPinned: given.pin,
    dropAfterMs: given.drop_after,
  };
  return { ok: true, entry, dropped };
}

function misspelt(key: string, place: string): string {
  return `is not a key; the nearest one is ${nearestName(key, Object.keys(KNOWN[place] ?? {}))}`;
}

/** Puts variables in all texts of a value, and leaves out members that are `null`. */
function expandTexts(
  value: unknown,
  environment: EntryReading['environment'],
  refuse: (path: string, message: string) => void,
  path = '',
): unknown {
  const inside = (key: string | number, member: unknown) =>
    expandTexts(member, environment, refuse, path === '' ? String(key) : `${path}.${key}`);
  if (Array.isArray(value)) return value.map((item, place) => inside(place, item));
  if (isJsonObject(value)) {
    const members = Object.entries(value).filter(([, member]) => member !== null);
    return Object.fromEntries(members.map(([key, member]) => [key, inside(key, member)]));
  }
  if (typeof value !== 'string') return value;
  if (environment === undefined) {
    // A caller that may add servers must not read the environment of this process.
    if (value.includes('${')) refuse(path, 'must not have variables: they are for the configuration file');
    return value;
  }
  const expansion = expandVariables(value, environment);
  if (expansion.ok) return expansion.text;
  refuse(path, `cannot be read: ${expansion.problem}`);
  return value;
}

/**
 * The name in the form of a namespace: what agents put before the names of its tools. In `NAMESPACE:name`, the namespace
 * is named.
 */
function toNamespace(name: string): string {
  const [owner = '', rest] = name.split(':');
  if (rest !== undefined && isNamespace(owner)) return owner;
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+|-+$/g, '')
    .slice(0, 64);
  return plain === '' ? 'server' : plain;
}

function readTransport(
  { type, command, args, env, cwd, headers, auth, ...given }: z.infer<typeof Entry>,
  { allowsCommands, environment = {} }: EntryReading,
  refuse: (message: string, key?: string) => void,
): ServerEntry['transport'] | undefined {
  const address = given.url;
  if (type === 'sse')
    refuse(
      'is the transport of 2024, which is not supported: most servers offer streamable HTTP at another path',
      'type',
    );
  else if (command !== undefined && !allowsCommands)
    refuse('is allowed only in the configuration file: a request may not start a process', 'command');
  else if (command !== undefined && address !== undefined) refuse('cannot be combined with a command', 'url');
  else if (address !== undefined)
    return { type: 'http', url: address, headers, auth, deniesPrivate: given.deny_private };
  else if (command) return { type: 'stdio', command, args, env, network: networkVariables(environment), cwd };
  else refuse(allowsCommands ? 'needs a command or a url' : 'needs a url');
  return undefined;
}

/** A text with expanded variables, or the problem of one of them. */
export type Expansion =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: string };

const REFERENCE = /\$\{([^}]*)\}/g;
const FILE = /^file:(.+)$/;
const VARIABLE = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?$/;

/**
 * Expands environment variables like agents: `${NAME}`, `${NAME:-default}`, and `${env:NAME}` as editors write
 * it; and files, `${file:PATH}`, as in settings. The default replaces a missing or empty variable. A missing
 * variable without a default is a problem, and so are variables that only an editor knows, such as
 * `${input:key}`.
 *
 * Sources: https://code.claude.com/docs/en/mcp#environment-variable-expansion-in-mcp-json,
 * https://code.visualstudio.com/docs/reference/variables-reference
 */
function expandVariables(text: string, environment: Readonly<Record<string, string | undefined>>): Expansion {
  let problem: string | undefined;
  const expanded = text.replace(REFERENCE, (reference, inside: string) => {
    const [, path] = FILE.exec(inside) ?? [];
    if (path !== undefined) {
      const read = readSecretFile(path);
      if (read.ok) return read.text;
      problem ??= `the file ${path} ${read.reason}`;
      return '';
    }
    const [, name, fallback] = VARIABLE.exec(inside) ?? [];
    if (name === undefined) {
      problem ??= `${reference} is not known here: there are \${NAME}, \${NAME:-default}, \${env:NAME} and \${file:PATH}`;
      return '';
    }
    const value = environment[name];
    if (value !== undefined && (value !== '' || fallback === undefined)) return value;
    if (fallback === undefined)
      problem ??= `the environment variable ${name} is not set; \${${name}:-default} gives it a default`;
    return fallback ?? '';
  });
  return problem === undefined ? { ok: true, text: expanded } : { ok: false, problem };
}

/** Names of the variables that a text refers to. */
export function variablesIn(text: string): readonly string[] {
  return [...text.matchAll(REFERENCE)].flatMap(([, inside]) => VARIABLE.exec(inside!)?.[1] ?? []);
}

/** Paths of the files that a text refers to. */
export function filesIn(text: string): readonly string[] {
  return [...text.matchAll(REFERENCE)].flatMap(([, inside]) => FILE.exec(inside!)?.[1] ?? []);
}
