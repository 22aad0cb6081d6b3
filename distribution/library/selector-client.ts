import { createHash } from 'node:crypto';
import {
  createSelectorClient as createClient,
  openSelectorAgent,
  type SearchableTools,
  SelectorHealth,
  type SelectorOutcome,
} from '@winnow/clients';
import type { Tool } from '@winnow/core';
import { readTool } from '@winnow/ranking';

export type { SelectorOutcome } from '@winnow/clients';

/** The selector's address and credentials, and the client's patience. */
export interface SelectorClientOptions {
  /** The selector's address; default `http://127.0.0.1:8788`. */
  readonly url?: string;
  /** One of the selector's `server.tokens`. Without it, requests carry no token. */
  readonly token?: string;
  /** Timeout of one search, in milliseconds; default 3,000. */
  readonly timeoutMs?: number;
}

export interface SelectorSearchOptions {
  /** Maximum number of names to select; default 10. */
  readonly topK?: number;
  /** Names to select even if they do not match, provided that they are among the tools. */
  readonly alwaysKeep?: readonly string[];
  /** Aborts the search, for example when the caller disconnects. */
  readonly signal?: AbortSignal;
}

/** A client of one selector. Safe for concurrent searches. */
export interface SelectorClient {
  /**
   * Returns the tools that fit a query. Never rejects because of the selector: a failed search is `{ ok:
   * false, reason }`, and the caller continues with all tools. Tools are sent once: if the same array is
   * passed again, the client sends only its id.
   *
   * @throws TypeError for the first tool that cannot be read; the message gives its place and the reason.
   */
  search(
    tools: readonly unknown[],
    query: string | readonly string[],
    options?: SelectorSearchOptions,
  ): Promise<SelectorOutcome>;
  /** Closes the connections and aborts pending searches. */
  close(): Promise<void>;
}

/** Circuit breaker: after five failures in a row, the selector is left alone for five seconds. */
const BREAKER = { failures: 5, openMs: 5_000, now: () => performance.now() };

/** Creates a client for the selector at an address. */
export function createSelectorClient(options: SelectorClientOptions = {}): SelectorClient {
  const { url = 'http://127.0.0.1:8788', token = '', timeoutMs = 3_000 } = options;
  const agent = openSelectorAgent({});
  const ask = createClient(
    {
      endpoint: new URL('/v1/tool-discovery/search', url).href,
      apiKey: token,
      timeoutMs,
      redact: { descriptions: [], sendDefinition: 'full' },
    },
    { agent, health: new SelectorHealth(BREAKER), deadline: AbortSignal.timeout },
  );
  const known = new WeakMap<readonly unknown[], SearchableTools>();
  return {
    async search(tools, query, { topK = 10, alwaysKeep = [], signal = new AbortController().signal } = {}) {
      const searchable = known.get(tools) ?? toSearchable(tools);
      known.set(tools, searchable);
      const queries = typeof query === 'string' ? [query] : query;
      return ask({ queries, searchable, limit: topK, alwaysKeep, headers: {}, signal });
    },
    close: () => agent.destroy(),
  };
}

function toSearchable(values: readonly unknown[]): SearchableTools {
  const tools = new Map<string, Tool>();
  for (const [index, value] of values.entries()) {
    const reading = readTool(value);
    if (!reading.ok) {
      const { path, message } = reading;
      throw new TypeError(`tools[${index}]${path === '' ? '' : `.${path}`}: ${message}`);
    }
    if (!tools.has(reading.tool.name)) tools.set(reading.tool.name, reading.tool);
  }
  const list = [...tools.values()];
  return { id: createHash('sha256').update(JSON.stringify(list)).digest('hex').slice(0, 32), tools: list };
}
