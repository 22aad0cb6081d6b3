import { findJsonFault, isJsonObject, type McpTool, REGISTRY_LIMITS } from '@winnow/registry';
import { ServerProblem } from './server-problem.ts';

/** Limits of a list. */
const LIST_LIMITS = { pages: 64, tools: 5_000, bytes: 32 * 2 ** 20 } as const;

export interface ListedTools {
  readonly tools: readonly McpTool[];
  /** Lifetime of the list; undefined when the server gives none. */
  readonly ttlMs: number | undefined;
  /** Entries that are not tools, by position. */
  readonly leftOut: readonly { readonly tool: string; readonly reason: string }[];
}

/** Functions for reading a list. */
export interface ListReading {
  /** One page of `tools/list` as the server gave it; the first one without a cursor. */
  readonly readPage: (cursor: string | undefined) => Promise<unknown>;
  /** Yields to other work. */
  readonly pause: () => Promise<void>;
}

/** Work between two pauses. */
const TURN = { tools: 50, bytes: 2 ** 20 } as const;

/**
 * Reads a server's list to its end, within bounds. Rejects with a `ServerProblem` where the server does not end it, says what is no list, or says
 * too much; nothing of such a list is used.
 *
 * Source: https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/pagination
 */
export async function listTools({ readPage, pause }: ListReading): Promise<ListedTools> {
  const tools: McpTool[] = [];
  const leftOut: { tool: string; reason: string }[] = [];
  const cursors = new Set<string>();
  let [bytes, entries] = [0, 0];
  let pausedAt = { bytes: 0, entries: 0 };
  let ttlMs: number | undefined;
  let cursor: string | undefined;
  for (let pages = 1; ; pages++) {
    const page = checkPage(await readPage(cursor));
    if (pages === 1) ttlMs = page.ttlMs;
    for (const entry of page.tools) {
      if (++entries > LIST_LIMITS.tools)
        throw new ServerProblem('too_many_tools', `The list has more than ${LIST_LIMITS.tools} tools.`);
      const fault = faultOf(entry);
      if (fault !== undefined) {
        leftOut.push({ tool: nameOf(entry) ?? `#${entries}`, reason: fault });
        continue;
      }
      bytes += Buffer.byteLength(JSON.stringify(entry));
      if (bytes > LIST_LIMITS.bytes) {
        throw new ServerProblem(
          'list_too_large',
          `The list is larger than ${LIST_LIMITS.bytes / 2 ** 20} MiB.`,
        );
      }
      tools.push(entry as McpTool);
      if (entries - pausedAt.entries < TURN.tools && bytes - pausedAt.bytes < TURN.bytes) continue;
      await pause();
      pausedAt = { bytes, entries };
    }
    cursor = page.nextCursor;
    if (cursor === undefined) return { tools, ttlMs, leftOut };
    if (cursors.has(cursor))
      throw new ServerProblem('cursor_repeated', 'The list goes round in a circle: a cursor came twice.');
    cursors.add(cursor);
    if (pages === LIST_LIMITS.pages)
      throw new ServerProblem('too_many_pages', `The list does not end within ${LIST_LIMITS.pages} pages.`);
  }
}

/** Returns the fault of an entry, if any. */
function faultOf(entry: unknown): string | undefined {
  if (nameOf(entry) === undefined) return 'It has no name.';
  // What is too deep must not be walked, written or compared.
  return findJsonFault(entry, REGISTRY_LIMITS.definitionDepth) === 'too_deep'
    ? `Its definition is nested deeper than ${REGISTRY_LIMITS.definitionDepth}.`
    : undefined;
}

function nameOf(entry: unknown): string | undefined {
  return isJsonObject(entry) && typeof entry.name === 'string' && entry.name !== '' ? entry.name : undefined;
}

function checkPage(page: unknown) {
  if (!isJsonObject(page) || !Array.isArray(page.tools))
    throw new ServerProblem('bad_answer', 'The answer to tools/list has no list of tools.');
  const { tools, nextCursor, ttlMs } = page;
  if (nextCursor !== undefined && nextCursor !== null && typeof nextCursor !== 'string') {
    throw new ServerProblem('bad_answer', 'The cursor of the list is no text.');
  }
  return {
    tools: tools as readonly unknown[],
    nextCursor: nextCursor ?? undefined,
    ttlMs: typeof ttlMs === 'number' && ttlMs >= 0 ? ttlMs : undefined,
  };
}
