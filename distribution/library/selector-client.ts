import { createHash } from 'node:crypto';
import type { Tool } from '@winnow/contract';
import { readTool } from '@winnow/ranking';
import {
  createSelectorClient as createClient,
  openSelectorAgent,
  type SearchableTools,
  SelectorHealth,
  type SelectorOutcome,
} from '@winnow/selector-client';

export type { SelectorOutcome } from '@winnow/selector-client';

/** Which selector is asked, and how patiently. */
export interface SelectorClientOptions {
  /** Its address; `http://127.0.0.1:8788` when it is missing. */
  readonly url?: string;
  /** One of its `SELECTOR_TOKENS`; none is sent when it is missing. */
  readonly token?: string;
  /** How long one search may take, in milliseconds; 3,000 when it is missing. */
  readonly timeoutMs?: number;
}

/** One search. */
export interface SelectorSearchOptions {
  /** Most names to select; 10 when it is missing. */
  readonly topK?: number;
  /** Names that must be selected if they are there. */
  readonly alwaysKeep?: readonly string[];
  /** Aborts when whoever asked has left. */
  readonly signal?: AbortSignal;
}

/** A client of one selector. Safe for concurrent searches. */
export interface SelectorClient {
  /**
   * Which tools fit a query. Never rejects for what a selector does: a search that cannot be answered is `{ ok: false, reason }`, and the
   * caller goes on with all tools. Tools travel once: pass the same array again, and only its id is sent.
   *
   * @throws TypeError for the first tool that cannot be read; the message says which and why.
   */
  search(tools: readonly unknown[], query: string, options?: SelectorSearchOptions): Promise<SelectorOutcome>;
  /** Closes the connections; searches that are under way end. */
  close(): Promise<void>;
}

/** A selector that fails five times in a row is left alone for five seconds. */
const BREAKER = { failures: 5, openMs: 5_000, now: () => performance.now() };

/** A client of the selector at an address. */
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
      return ask({ query, searchable, limit: topK, alwaysKeep, headers: {}, signal });
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
