import { findJsonFault, isJsonObject, type JsonObject, REGISTRY_LIMITS } from '@winnow/registry';
import { ServerProblem } from './failures.ts';

/** A kind of list that servers have, with its limits. */
export interface ListKind {
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
