import type { MeasuredTool, StoredRecord } from '../contract/exchange-record.ts';
import { modelSearches } from '../contract/exchange-record.ts';
import { serverOf } from '../text/server-of.ts';

/** Totals of one tool. Tokens are estimated from bytes. */
export interface ToolCost {
  readonly name: string;
  /** The MCP server or namespace in its name; empty if there is none. */
  readonly server: string;
  /** Tokens of its definition, in the list that was used last. */
  readonly tokens: number;
  /** Exchanges whose clients sent it. */
  readonly exchanges: number;
  /** Requests that showed it to the model, and the tokens of its definition in all of them. */
  readonly shown: number;
  readonly shownTokens: number;
  /** Searches that found it. */
  readonly found: number;
  /** Exchanges in which a search made it visible. */
  readonly loads: number;
  /** Exchanges whose response called it. */
  readonly calls: number;
  /** Exchanges with known calls. */
  readonly judged: number;
  /** Time of the last call, as ISO 8601; undefined without any. */
  readonly lastCall: string | undefined;
}

/** Totals of all tools of a server. */
export interface ServerCost extends Omit<ToolCost, 'name' | 'exchanges' | 'judged'> {
  readonly tools: number;
  /** Tools that were never called in exchanges with known calls. */
  readonly uncalled: number;
}

/** Totals of tools and servers: those that cost most first, alike ones by name. */
export interface ToolCostTable {
  readonly tools: readonly ToolCost[];
  readonly servers: readonly ServerCost[];
  /** Exchanges with a known list of tools, and those whose list is not known. */
  readonly listed: number;
  readonly unlisted: number;
  /** Names that did not fit into memory. */
  readonly dropped: number;
}

/** Whether a tool was apparently never called. */
export function isUncalled({ calls, judged }: Pick<ToolCost, 'calls' | 'judged'>): boolean {
  return calls === 0 && judged > 0;
}

/** Bytes of English and JSON per token, as in current tokenisers. */
const BYTES_PER_TOKEN = 4;

/** Number of lists, and of all their tools together, whose exchanges are counted apart. */
const MOST_LISTS = 2_000;
const MOST_LISTED_TOOLS = 100_000;
/** Number of tools in the totals; each list has 5,000 at most. */
const MOST_TOOLS = 20_000;
/** Number of names that are held of a list before it is known. */
const MOST_UNLISTED = 1_000;

interface Counts {
  shown: number;
  found: number;
  loads: number;
  calls: number;
  lastCall: string | undefined;
}

interface ListUse {
  tools: readonly MeasuredTool[] | undefined;
  names: ReadonlySet<string> | undefined;
  exchanges: number;
  requests: number;
  whole: number;
  judged: number;
  readonly named: Map<string, Counts>;
}

type Total = { -readonly [Field in keyof ToolCost]: ToolCost[Field] } & { lastUse: number };

/**
 * Adds up the cost of tools, from records and the lists of tools that they refer to, in any order.
 *
 * An exchange costs a few additions, however long its list is. Memory is bounded: when there are too many
 * lists, the oldest are added to the totals; names that the totals have no room for are dropped and counted.
 */
export class ToolCosts {
  readonly #lists = new Map<string, ListUse>();
  readonly #sums: Sums = { totals: new Map(), listed: 0, unlisted: 0, dropped: 0 };
  #listedTools = 0;
  #folds = 0;
  /** The result, until something is added. */
  #result: ToolCostTable | undefined;

  /** Whether the tools of a list are known. */
  knows(id: string): boolean {
    return this.#lists.get(id)?.tools !== undefined;
  }

  /** Adds the tools of a list. */
  addList(id: string, tools: readonly MeasuredTool[]): void {
    const use = this.#useOf(id);
    if (use.tools !== undefined) return;
    this.#result = undefined;
    use.tools = tools;
    use.names = new Set(tools.map(({ name }) => name));
    this.#listedTools += tools.length;
    while (this.#listedTools > MOST_LISTED_TOOLS && this.#lists.size > 1) this.#foldOldest();
  }

  /** Adds an exchange. */
  add(record: StoredRecord): void {
    this.#result = undefined;
    const { toolList, called = [], time } = record;
    if (toolList === undefined) {
      if (record.tools.total > 0) this.#sums.unlisted++;
      return;
    }
    const { whole = 0, loaded = {} } = toolList;
    const requests = Math.max(1, record.upstreamCalls - (record.failedRounds?.length ?? 0));
    const use = this.#useOf(toolList.id);
    use.exchanges++;
    use.requests += requests;
    use.whole += whole;
    if (tellsCalls(record)) use.judged++;
    const found = new Set<string>();
    for (const { outcome, names } of modelSearches(record)) {
      if (outcome !== 'found') continue;
      for (const name of names) {
        countsOf(use, name).found++;
        found.add(name);
      }
    }
    for (const [name, showing] of Object.entries(loaded)) {
      const counts = countsOf(use, name);
      counts.shown += showing;
      // What was visible from the start is older than the exchange's searches.
      if (found.has(name) && showing < requests) counts.loads++;
    }
    for (const name of called) {
      const counts = countsOf(use, name);
      counts.calls++;
      if (counts.lastCall === undefined || counts.lastCall < time) counts.lastCall = time;
    }
  }

  result(): ToolCostTable {
    this.#result ??= this.#sum();
    return this.#result;
  }

  #sum(): ToolCostTable {
    const totals = new Map([...this.#sums.totals].map(([name, total]) => [name, { ...total }]));
    const sums = { ...this.#sums, totals };
    for (const use of this.#lists.values()) addUse(use, sums, ++this.#folds);
    const tools = [...totals.values()].map(({ lastUse: _, ...tool }): ToolCost => tool).sort(byCost);
    const { listed, unlisted, dropped } = sums;
    return { tools, servers: serversOf(tools), listed, unlisted, dropped };
  }

  #useOf(id: string): ListUse {
    const known = this.#lists.get(id);
    if (known !== undefined) return known;
    if (this.#lists.size >= MOST_LISTS) this.#foldOldest();
    const use: ListUse = {
      tools: undefined,
      names: undefined,
      exchanges: 0,
      requests: 0,
      whole: 0,
      judged: 0,
      named: new Map(),
    };
    this.#lists.set(id, use);
    return use;
  }

  #foldOldest(): void {
    const [[id, use]] = this.#lists as unknown as [[string, ListUse]];
    this.#lists.delete(id);
    this.#listedTools -= use.tools?.length ?? 0;
    addUse(use, this.#sums, ++this.#folds);
  }
}

/** Whether a record would list the tools that the response called. */
function tellsCalls({ arm, planReason, outcome, status = 0, observation }: StoredRecord): boolean {
  if (arm === 'shadow') return observation?.status === 'done';
  return (
    arm === 'full' && planReason === 'deferred' && outcome === 'answered' && status >= 200 && status < 300
  );
}

/** Returns the counts of a tool; those of a name that the list lacks, as models make them up, are not held. */
function countsOf({ names, named }: ListUse, name: string): Counts {
  let counts = named.get(name);
  if (counts === undefined) {
    counts = { shown: 0, found: 0, loads: 0, calls: 0, lastCall: undefined };
    if (names?.has(name) ?? named.size < MOST_UNLISTED) named.set(name, counts);
  }
  return counts;
}

interface Sums {
  readonly totals: Map<string, Total>;
  listed: number;
  unlisted: number;
  dropped: number;
}

/** Adds the use of a list to totals. */
function addUse({ tools, exchanges, requests, whole, judged, named }: ListUse, sums: Sums, lastUse: number) {
  if (tools === undefined) {
    sums.unlisted += exchanges;
    return;
  }
  sums.listed += exchanges;
  for (const { name, bytes, kept } of tools) {
    const total = sums.totals.get(name) ?? newTotal(name);
    if (!sums.totals.has(name)) {
      if (sums.totals.size >= MOST_TOOLS) {
        sums.dropped++;
        continue;
      }
      sums.totals.set(name, total);
    }
    const counts = named.get(name);
    const shown = kept ? requests : whole + (counts?.shown ?? 0);
    const tokens = Math.round(bytes / BYTES_PER_TOKEN);
    total.shownTokens += shown * tokens;
    // A name that a list has twice is one tool with both definitions.
    total.tokens = total.lastUse === lastUse ? total.tokens + tokens : tokens;
    if (total.lastUse === lastUse) continue;
    total.lastUse = lastUse;
    total.exchanges += exchanges;
    total.judged += judged;
    total.shown += shown;
    if (counts === undefined) continue;
    total.found += counts.found;
    total.loads += counts.loads;
    total.calls += counts.calls;
    total.lastCall = later(total.lastCall, counts.lastCall);
  }
}

function newTotal(name: string): Total {
  return {
    name,
    server: serverOf(name),
    tokens: 0,
    exchanges: 0,
    shown: 0,
    shownTokens: 0,
    found: 0,
    loads: 0,
    calls: 0,
    judged: 0,
    lastCall: undefined,
    lastUse: 0,
  };
}

function serversOf(tools: readonly ToolCost[]): ServerCost[] {
  const servers = new Map<string, { -readonly [Field in keyof ServerCost]: ServerCost[Field] }>();
  for (const tool of tools) {
    const { server } = tool;
    const sum = servers.get(server) ?? {
      server,
      tools: 0,
      uncalled: 0,
      tokens: 0,
      shown: 0,
      shownTokens: 0,
      found: 0,
      loads: 0,
      calls: 0,
      lastCall: undefined,
    };
    servers.set(server, sum);
    sum.tools++;
    if (isUncalled(tool)) sum.uncalled++;
    for (const field of ['tokens', 'shown', 'shownTokens', 'found', 'loads', 'calls'] as const)
      sum[field] += tool[field];
    sum.lastCall = later(sum.lastCall, tool.lastCall);
  }
  return [...servers.values()].sort((a, b) => b.shownTokens - a.shownTokens || order(a.server, b.server));
}

/** Returns the later of two times as ISO 8601. */
function later(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? other : one;
}

function byCost(a: ToolCost, b: ToolCost): number {
  return b.shownTokens - a.shownTokens || order(a.name, b.name);
}

function order(one: string, other: string): number {
  return one < other ? -1 : 1;
}
