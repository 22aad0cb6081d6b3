import { hash } from 'node:crypto';
import { canonicalJson, decodePercent } from '@winnow/core';
import {
  findJsonFault,
  isJsonObject,
  type JsonObject,
  type McpTool,
  matchesGlob,
  REGISTRY_LIMITS,
} from '@winnow/registry';
import { ServerProblem } from './failures.ts';
import type { ServerEntry } from './server-entry.ts';

/** A kind of list that servers have, with its limits. */
interface ListKind {
  /** The member of a page that holds its entries. */
  readonly member: 'tools' | 'prompts' | 'resources' | 'resourceTemplates';
  /** The member that identifies an entry. */
  readonly key: 'name' | 'uri' | 'uriTemplate';
  readonly limits: { readonly pages: number; readonly entries: number; readonly bytes: number };
  /** Whether the part of a list within the limits counts; otherwise the list is refused as a whole. */
  readonly isCut: boolean;
}

/** A list, read to its end. */
export interface ReadList {
  readonly entries: readonly JsonObject[];
  /** Lifetime of the list; undefined when the server gives none. */
  readonly ttlMs: number | undefined;
  /** Entries that cannot be used, by their key or position. */
  readonly leftOut: readonly { readonly tool: string; readonly reason: string }[];
}

/** Functions for reading a list. */
export interface ListReading {
  /** One page of the list as the server gave it; the first one without a cursor. */
  readonly readPage: (cursor: string | undefined) => Promise<unknown>;
  /** Yields to other work. */
  readonly pause: () => Promise<void>;
}

/** Work between two pauses. */
const TURN = { entries: 50, bytes: 2 ** 20 } as const;

/**
 * Reads a list of a server to its end, within bounds. Rejects with a `ServerProblem` where the server does not end it, sends
 * something else, or says too much; nothing of such a list is used.
 *
 * Source: https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/pagination
 */
export async function readList({ readPage, pause }: ListReading, kind: ListKind): Promise<ReadList> {
  const reader = new ListReader(kind);
  let pausedAt = reader.size;
  let ttlMs: number | undefined;
  let cursor: string | undefined;
  for (let pages = 1; ; pages++) {
    const page = checkPage(await readPage(cursor), kind);
    if (pages === 1) ttlMs = page.ttlMs;
    for (const entry of page.entries) {
      const problem = reader.take(entry);
      if (problem !== undefined) return reader.cut(problem, ttlMs);
      const { size } = reader;
      if (size.entries - pausedAt.entries < TURN.entries && size.bytes - pausedAt.bytes < TURN.bytes)
        continue;
      await pause();
      pausedAt = size;
    }
    if (page.nextCursor === undefined) return reader.end(ttlMs);
    cursor = page.nextCursor;
    const problem = reader.follow(cursor, pages);
    if (problem !== undefined) return reader.cut(problem, ttlMs);
  }
}

class ListReader {
  readonly #kind: ListKind;
  readonly #entries: JsonObject[] = [];
  readonly #leftOut: { tool: string; reason: string }[] = [];
  readonly #cursors = new Set<string>();
  #size = { entries: 0, bytes: 0 };

  constructor(kind: ListKind) {
    this.#kind = kind;
  }

  get size(): { readonly entries: number; readonly bytes: number } {
    return this.#size;
  }

  /** Takes an entry; returns the problem of a list that is too long with it. */
  take(entry: unknown): ServerProblem | undefined {
    const { limits, member } = this.#kind;
    const entries = this.#size.entries + 1;
    if (entries > limits.entries)
      return new ServerProblem(
        'too_many_tools',
        `The list has more than ${limits.entries} ${WORDS[member]}.`,
      );
    this.#size = { ...this.#size, entries };
    const fault = this.#faultOf(entry);
    if (fault !== undefined) {
      this.#leftOut.push({ tool: this.#keyOf(entry) ?? `#${entries}`, reason: fault });
      return undefined;
    }
    const bytes = this.#size.bytes + Buffer.byteLength(JSON.stringify(entry));
    if (bytes > limits.bytes)
      return new ServerProblem('list_too_large', `The list is larger than ${limits.bytes / 2 ** 20} MiB.`);
    this.#size = { entries, bytes };
    this.#entries.push(entry as JsonObject);
    return undefined;
  }

  /** Follows a cursor to the next page; returns the problem of a list that does not end. */
  follow(cursor: string, pages: number): ServerProblem | undefined {
    if (this.#cursors.has(cursor))
      return new ServerProblem('cursor_repeated', 'The list has a cycle: a cursor came twice.');
    this.#cursors.add(cursor);
    const { limits } = this.#kind;
    if (pages < limits.pages) return undefined;
    return new ServerProblem('too_many_pages', `The list does not end within ${limits.pages} pages.`);
  }

  end(ttlMs: number | undefined): ReadList {
    return { entries: this.#entries, ttlMs, leftOut: this.#leftOut };
  }

  /**
   * Returns the list up to its problem, which it names. Throws the problem where the whole list counts or nothing; but what
   * was read before a cursor repeats is all that there is.
   */
  cut(problem: ServerProblem, ttlMs: number | undefined): ReadList {
    if (problem.code === 'cursor_repeated') this.#dropRepeated();
    else if (!this.#kind.isCut) throw problem;
    const rest = { tool: `further ${WORDS[this.#kind.member]}`, reason: problem.message };
    return { ...this.end(ttlMs), leftOut: [...this.#leftOut, rest] };
  }

  /** Drops the entries of pages that came again. */
  #dropRepeated(): void {
    const seen = new Set<string>();
    const once = this.#entries.filter((entry) => {
      const text = JSON.stringify(entry);
      return !seen.has(text) && seen.add(text);
    });
    this.#entries.splice(0, this.#entries.length, ...once);
  }

  /** Returns the fault of an entry, if any. */
  #faultOf(entry: unknown): string | undefined {
    if (this.#keyOf(entry) === undefined) return `It has no ${this.#kind.key}.`;
    // What is too deep must not be walked, written or compared.
    return findJsonFault(entry, REGISTRY_LIMITS.definitionDepth) === 'too_deep'
      ? `Its definition is nested deeper than ${REGISTRY_LIMITS.definitionDepth}.`
      : undefined;
  }

  #keyOf(entry: unknown): string | undefined {
    const key = isJsonObject(entry) ? entry[this.#kind.key] : undefined;
    return typeof key === 'string' && key !== '' ? key : undefined;
  }
}

/** The members of pages, in words. */
const WORDS = {
  tools: 'tools',
  prompts: 'prompts',
  resources: 'resources',
  resourceTemplates: 'resource templates',
} as const;

function checkPage(page: unknown, { member }: ListKind) {
  if (!isJsonObject(page) || !Array.isArray(page[member]))
    throw new ServerProblem('bad_answer', `The response has no list of ${WORDS[member]}.`);
  const { nextCursor, ttlMs } = page;
  if (nextCursor !== undefined && nextCursor !== null && typeof nextCursor !== 'string') {
    throw new ServerProblem('bad_answer', 'The cursor of the list is not a string.');
  }
  return {
    entries: page[member] as readonly unknown[],
    nextCursor: nextCursor ?? undefined,
    ttlMs: typeof ttlMs === 'number' && ttlMs >= 0 ? ttlMs : undefined,
  };
}

/** The list of tools of a server. */
export interface ListedTools extends Pick<ReadList, 'ttlMs' | 'leftOut'> {
  readonly tools: readonly McpTool[];
}

const TOOLS: ListKind = {
  member: 'tools',
  key: 'name',
  limits: { pages: 64, entries: 5_000, bytes: 32 * 2 ** 20 },
  isCut: false,
};

/** Reads a server's tools: the whole list within its limits, or a `ServerProblem`. */
export async function listTools(reading: ListReading): Promise<ListedTools> {
  const { entries, ...list } = await readList(reading, TOOLS);
  const isTask = (tool: JsonObject) =>
    isJsonObject(tool.execution) && tool.execution.taskSupport === 'required';
  const tasks = entries
    .filter(isTask)
    .map((tool) => ({ tool: String(tool.name), reason: 'It runs only as a task, which is not relayed.' }));
  const tools = entries.filter((tool) => !isTask(tool)).map(toCurrent);
  return {
    ...list,
    leftOut: [...list.leftOut, ...tasks],
    tools: tools as readonly unknown[] as readonly McpTool[],
  };
}

/** Dialects of JSON Schema that are read as one of the two that are checked. */
const DIALECTS: readonly (readonly [RegExp, string])[] = [
  [/draft-0[46]\b/, 'http://json-schema.org/draft-07/schema#'],
  [/draft\/2019-09\b/, 'https://json-schema.org/draft/2020-12/schema'],
];

/** Returns a tool without optional members that are null, and with older dialects of its schemas read as newer ones. */
function toCurrent(tool: JsonObject): JsonObject {
  const members = Object.entries(tool).filter(([key, value]) => value !== null || key === 'inputSchema');
  return Object.fromEntries(
    members.map(([key, value]) => [
      key,
      key.endsWith('Schema') && isJsonObject(value) ? inDialect(value) : value,
    ]),
  );
}

function inDialect(schema: JsonObject): JsonObject {
  const { $schema: written } = schema;
  const [, current] =
    DIALECTS.find(([dialect]) => typeof written === 'string' && dialect.test(written)) ?? [];
  return current === undefined ? schema : { ...schema, $schema: current };
}

/** Kinds of offers, the things that servers have in addition to tools: prompts, resources, templates of resources, and instructions. */
export type OfferKind = 'prompt' | 'resource' | 'template' | 'instructions';

export const OFFER_KINDS: readonly OfferKind[] = ['prompt', 'resource', 'template', 'instructions'];

/** One of them, as its server lists it. */
export interface Offer {
  readonly kind: OfferKind;
  /** The server's own name of a prompt, URI of a resource or template; empty for instructions. */
  readonly key: string;
  /** Instructions are its member `text`. */
  readonly definition: JsonObject;
}

/** A list of offers: how a server is asked for it, and its limits. */
export interface OfferList extends ListKind {
  readonly kind: OfferKind;
  readonly method: 'prompts/list' | 'resources/list' | 'resources/templates/list';
}

const limits = (entries: number) => ({ pages: 64, entries, bytes: 4 * 2 ** 20 });

export const OFFER_LISTS: readonly OfferList[] = [
  {
    kind: 'prompt',
    method: 'prompts/list',
    member: 'prompts',
    key: 'name',
    limits: limits(500),
    isCut: true,
  },
  {
    kind: 'resource',
    method: 'resources/list',
    member: 'resources',
    key: 'uri',
    limits: limits(1_000),
    isCut: true,
  },
  {
    kind: 'template',
    method: 'resources/templates/list',
    member: 'resourceTemplates',
    key: 'uriTemplate',
    limits: limits(200),
    isCut: true,
  },
];

/** Longest name or URI, longest definition as JSON, and longest instructions, in characters. */
export const OFFER_LIMITS = { keyChars: 2_048, definitionChars: 65_536, instructionsChars: 16_000 } as const;

/** The id of an offer among those of its server, as approvals name it: `prompt:NAME`, `resource:URI`, `template:URI`, `instructions`. */
export function offerId({ kind, key }: Pick<Offer, 'kind' | 'key'>): string {
  return kind === 'instructions' ? kind : `${kind}:${key}`;
}

/** Returns a digest that is equal for equal definitions. */
export function offerHash({ definition }: Offer): string {
  return hash('sha256', canonicalJson(definition)).slice(0, 32);
}

/**
 * Whether an entry lets an offer pass. Its globs match names of prompts and resources, URIs, and both with their kind:
 * `prompt:NAME`, `resource:URI`, also for templates. Instructions pass unless `exclude` has `instructions`.
 */
export function wantsOffer(
  { kind, key, definition }: Offer,
  { include = ['*'], exclude }: Pick<ServerEntry, 'include' | 'exclude'>,
): boolean {
  const matches = (globs: readonly string[], names: readonly string[]) =>
    globs.some((glob) => names.some((name) => matchesGlob(glob, name)));
  if (kind === 'instructions') return !matches(exclude, [kind]);
  const { name } = definition;
  const qualified = `${kind === 'prompt' ? 'prompt' : 'resource'}:${key}`;
  const names = [key, qualified, ...(typeof name === 'string' && name !== key ? [name] : [])];
  return matches(include, names) && !matches(exclude, names);
}

/**
 * Whether an entry lets a resource be read that its server does not list. Servers may take several spellings of a URI for one: `exclude` holds
 * for all of them, and with `include` the path must not climb.
 */
export function wantsUnlisted(uri: string, entry: Pick<ServerEntry, 'include' | 'exclude'>): boolean {
  if (!wantsOffer({ kind: 'resource', key: uri, definition: {} }, { ...entry, exclude: [] })) return false;
  if (entry.include !== undefined && climbs(uri)) return false;
  const globs = entry.exclude.flatMap((glob) => [glob, decoded(glob)]).map((glob) => glob.toLowerCase());
  const names = spellingsOf(uri).flatMap((one) => [one, `resource:${one}`]);
  return !globs.some((glob) => names.some((name) => matchesGlob(glob, name)));
}

/**
 * Returns the ways in which servers may read a URI, in lower case: unchanged, and with escapes, dot segments
 * and repeated slashes resolved; also without fragment, query, parameters of segments and closing slashes, which many
 * servers pass over.
 */
export function spellingsOf(uri: string): readonly string[] {
  // The order of decoding and resolving is the server's.
  const read = [uri, decoded(uri)].map((text) =>
    decoded(URL.parse(text.replaceAll('\\', '/'))?.href ?? text),
  );
  const plain = read.map((text) =>
    text.replace(/(?<=^[a-z0-9+.-]*:\/\/).*/is, (rest) => rest.replace(/\/{2,}/g, '/')),
  );
  const bare = [uri, ...read, ...plain].flatMap((text) => [text, withoutExtras(text)]);
  return [...new Set(bare.map((text) => text.toLowerCase()))];
}

function withoutExtras(uri: string): string {
  return uri
    .replace(/[?#].*$/s, '')
    .replace(/;[^/]*/g, '')
    .replace(/(?<=[^/:])\/+$/, '');
}

/** Whether a path has segments that lead elsewhere. */
function climbs(uri: string): boolean {
  return [uri, decoded(uri)].some((text) => /[/\\]\.{1,2}(?:[/\\?#]|$)/.test(text));
}

/** Returns a text without escapes, except those that encode no text. */
function decoded(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, decodePercent);
}

/** The time to compare a template with a URI is bounded by the product of their lengths: longer templates fit none. */
const MAX_COMPARED_CHARS = 256;

/** Whether a URI matches a template: an expression matches any characters, as long as the path does not climb. */
export function fitsTemplate(template: string, uri: string): boolean {
  if (template.length > MAX_COMPARED_CHARS || uri.length > OFFER_LIMITS.keyChars || climbs(uri)) return false;
  return matchesGlob(template.replace(/\{[^{}]*\}/g, '*'), uri);
}
