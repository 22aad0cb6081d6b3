import { createPreload } from '@winnow/proxy';
import { hashText } from '../hash-text.ts';
import { hashedOrder } from '../hashed-order.ts';
import type { RetrievalSet, SetQuery, SetTool } from '../retrieval/read-sets.ts';
import { bytesOf, viewOf } from './request-of.ts';

/** Maximum numbers of preloaded tools. */
export const COUNTS = [0, 3, 5, 10] as const;

/** Number of tools in one conversation's catalogue, typical for an agent with a few servers. */
const CATALOGUE_TOOLS = 200;

/** Number of conversations of a set. */
const MAX_CONVERSATIONS = 200;

/** Needs that preloaded tools meet, and their size. Shares are 0..1; all figures are means over conversations. */
export interface Measured {
  /** Share of needed tools that are preloaded. */
  readonly needsMet: number;
  /** Share of conversations whose needed tools are all preloaded, so that they need no search. */
  readonly withoutSearch: number;
  /** Tokens (bytes ÷ 4) of the preloaded definitions. */
  readonly tokens: number;
}

/** Results for one number of preloaded tools. */
export interface CountMeasurement extends Measured {
  readonly count: number;
  /**
   * Share of conversations whose preloaded tools stay the same if every tenth tool is added only after the
   * first turn.
   */
  readonly sameGrown: number;
  /** Share of conversations whose preloaded tools stay the same if the history loses its first message. */
  readonly sameTrimmed: number;
  /** Share of the first message's needed tools that are preloaded after its loss. */
  readonly needsMetTrimmed: number;
}

/** Results for one set. */
export interface PreloadMeasurement {
  readonly set: string;
  readonly conversations: number;
  /** Mean number of tools in a catalogue, and their tokens. */
  readonly tools: number;
  readonly tokensOfAll: number;
  readonly counts: readonly CountMeasurement[];
}

/** Rules by which everything may be preloaded. */
export const RULES = {
  alwaysKeep: [],
  maxNamed: 25,
  minTools: 0,
  minDeferredTokens: 0,
  pause: async () => {},
};

/** One conversation: the user's first and second message, and the tools at each time. */
interface Conversation {
  readonly query: SetQuery;
  readonly next: SetQuery;
  readonly tools: readonly SetTool[];
  readonly toolsBefore: readonly SetTool[];
}

/** The best names for it in three situations, as many as the largest number requires. */
interface Ranked {
  readonly conversation: Conversation;
  readonly names: readonly string[];
  readonly before: readonly string[];
  readonly trimmed: readonly string[];
}

/**
 * Measures how many needs the preloaded tools meet. Each query is a conversation's first message, and its
 * gold names are the needed tools. The catalogue is the set's own; from a larger set, it consists of those
 * names and others chosen by a hash.
 */
export async function measurePreload(set: RetrievalSet): Promise<PreloadMeasurement> {
  const preload = createPreload({ ...RULES, limit: Math.max(...COUNTS) });
  const ranked: Ranked[] = [];
  for (const conversation of conversationsOf(set)) {
    const { query, next, tools, toolsBefore } = conversation;
    ranked.push({
      conversation,
      names: (await preload(viewOf(query.text, tools))).names,
      before: (await preload(viewOf(query.text, toolsBefore))).names,
      trimmed: (await preload(viewOf(next.text, tools))).names,
    });
  }
  return {
    set: set.name,
    conversations: ranked.length,
    tools: mean(ranked, ({ conversation }) => conversation.tools.length),
    tokensOfAll: mean(ranked, ({ conversation }) => tokensOf(conversation.tools)),
    counts: COUNTS.map((count) => measureCount(ranked, count)),
  };
}

/** Returns the needs that these names of each conversation meet, and their size. */
export function measureNames(all: readonly Pick<Ranked, 'conversation' | 'names'>[]): Measured {
  return {
    needsMet: mean(all, metBy),
    withoutSearch: mean(all, (one) => (metBy(one) === 1 ? 1 : 0)),
    tokens: mean(all, ({ conversation, names }) => {
      const shown = new Set(names);
      return tokensOf(conversation.tools.filter(({ name }) => shown.has(name)));
    }),
  };
}

function metBy({ conversation: { query }, names }: Pick<Ranked, 'conversation' | 'names'>): number {
  return names.filter((name) => query.gold.has(name)).length / query.gold.size;
}

function measureCount(all: readonly Ranked[], count: number): CountMeasurement {
  const isSame = (one: readonly string[], other: readonly string[]) =>
    one.slice(0, count).join('\n') === other.slice(0, count).join('\n') ? 1 : 0;
  return {
    count,
    ...measureNames(all.map(({ conversation, names }) => ({ conversation, names: names.slice(0, count) }))),
    sameGrown: mean(all, ({ names, before }) => isSame(names, before)),
    sameTrimmed: mean(all, ({ names, trimmed }) => isSame(names, trimmed)),
    needsMetTrimmed: mean(all, ({ conversation, trimmed }) =>
      metBy({ conversation, names: trimmed.slice(0, count) }),
    ),
  };
}

/** Returns conversations of a set, as hashes draw them. */
export function conversationsOf(set: RetrievalSet): Conversation[] {
  const known = new Set(set.tools.map(({ name }) => name));
  const queries = hashedOrder(
    set.queries
      .filter(({ gold }) => [...gold].every((name) => known.has(name)))
      .map((query) => ({ name: query.id, query })),
  ).map(({ query }) => query);
  return queries.slice(0, MAX_CONVERSATIONS).map((query, place) => {
    const tools = catalogueFor(query, set.tools);
    return {
      query,
      next: queries[(place + 1) % queries.length]!,
      tools,
      toolsBefore: tools.filter(({ name }, at) => at % 10 !== 9 || query.gold.has(name)),
    };
  });
}

/** Returns the query's gold tools and others, in an order that does not reveal which are which. */
function catalogueFor({ id, gold }: SetQuery, tools: readonly SetTool[]): SetTool[] {
  const others = tools.filter(({ name }) => !gold.has(name));
  const chosen = keyed(others, id).slice(0, CATALOGUE_TOOLS - gold.size);
  return hashedOrder([...tools.filter(({ name }) => gold.has(name)), ...chosen]);
}

function keyed(tools: readonly SetTool[], salt: string): SetTool[] {
  return tools
    .map((tool) => ({ tool, key: hashText(`${salt}\n${tool.name}`) }))
    .sort((left, right) => (left.key < right.key ? -1 : 1))
    .map(({ tool }) => tool);
}

function tokensOf(tools: readonly SetTool[]): number {
  return tools.reduce((sum, tool) => sum + bytesOf(tool), 0) / BYTES_PER_TOKEN;
}

const BYTES_PER_TOKEN = 4;

function mean<Item>(items: readonly Item[], measureOf: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + measureOf(item), 0) / items.length;
}
