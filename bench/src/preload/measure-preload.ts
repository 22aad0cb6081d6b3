import { createPreload } from '@winnow/proxy';
import { BodyBytes, FORMATS, matchRoute, type RequestView } from '@winnow/wire';
import { hashText } from '../hash-text.ts';
import { hashedOrder } from '../hashed-order.ts';
import type { RetrievalSet, SetQuery, SetTool } from '../retrieval/read-sets.ts';

/** How many tools are preloaded. */
export const COUNTS = [0, 3, 5, 10] as const;

/** Tools of one conversation's catalogue: what an agent with a handful of servers has. */
const CATALOGUE_TOOLS = 200;

/** Conversations of a set. */
const MAX_CONVERSATIONS = 200;

/** What one count of preloaded tools comes to; shares are 0..1, all means over conversations. */
export interface CountMeasurement {
  readonly count: number;
  /** Needed tools that are preloaded. */
  readonly needsMet: number;
  /** Conversations of which every needed tool is preloaded: they need no search. */
  readonly withoutSearch: number;
  /** Tokens (bytes ÷ 4) of the preloaded definitions. */
  readonly tokens: number;
  /** Conversations whose preloaded tools are the same when every tenth tool comes only after the first turn. */
  readonly sameGrown: number;
  /** Conversations whose preloaded tools are the same when the first message is gone from the history. */
  readonly sameTrimmed: number;
  /** Needed tools of the first message that are preloaded when it is gone. */
  readonly needsMetTrimmed: number;
}

/** One set, measured. */
export interface PreloadMeasurement {
  readonly set: string;
  readonly conversations: number;
  /** Mean tools of a catalogue, and what they take in tokens. */
  readonly tools: number;
  readonly tokensOfAll: number;
  readonly counts: readonly CountMeasurement[];
}

/** One conversation: what the user says first and second, and what exists when. */
interface Conversation {
  readonly query: SetQuery;
  readonly next: SetQuery;
  readonly tools: readonly SetTool[];
  readonly toolsBefore: readonly SetTool[];
}

/** The best names for it, as many as the largest count, in three situations. */
interface Ranked {
  readonly conversation: Conversation;
  readonly names: readonly string[];
  readonly before: readonly string[];
  readonly trimmed: readonly string[];
}

/**
 * Measures how many needs the preloaded tools meet. Each query is a conversation's first message, and its gold names are what it needs; its
 * catalogue is the set's, or of a larger one those names and others that a hash chooses.
 */
export async function measurePreload(set: RetrievalSet): Promise<PreloadMeasurement> {
  const preload = createPreload({
    limit: Math.max(...COUNTS),
    alwaysKeep: [],
    maxNamed: 25,
    minTools: 0,
    minDeferredTokens: 0,
    pause: async () => {},
  });
  const ranked: Ranked[] = [];
  for (const conversation of conversationsOf(set)) {
    const { query, next, tools, toolsBefore } = conversation;
    ranked.push({
      conversation,
      names: await preload(viewOf(query, tools)),
      before: await preload(viewOf(query, toolsBefore)),
      trimmed: await preload(viewOf(next, tools)),
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

function measureCount(all: readonly Ranked[], count: number): CountMeasurement {
  const met = ({ query: { gold } }: Conversation, names: readonly string[]) =>
    names.slice(0, count).filter((name) => gold.has(name)).length / gold.size;
  const isSame = (one: readonly string[], other: readonly string[]) =>
    one.slice(0, count).join('\n') === other.slice(0, count).join('\n') ? 1 : 0;
  return {
    count,
    needsMet: mean(all, ({ conversation, names }) => met(conversation, names)),
    withoutSearch: mean(all, ({ conversation, names }) => (met(conversation, names) === 1 ? 1 : 0)),
    tokens: mean(all, ({ conversation, names }) => {
      const shown = new Set(names.slice(0, count));
      return tokensOf(conversation.tools.filter(({ name }) => shown.has(name)));
    }),
    sameGrown: mean(all, ({ names, before }) => isSame(names, before)),
    sameTrimmed: mean(all, ({ names, trimmed }) => isSame(names, trimmed)),
    needsMetTrimmed: mean(all, ({ conversation, trimmed }) => met(conversation, trimmed)),
  };
}

function conversationsOf(set: RetrievalSet): Conversation[] {
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

/** The tools that the query needs and others, in an order that says nothing about which are which. */
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

const CHAT = FORMATS.find(
  (format) => matchRoute(format.reading, 'POST', '/v1/chat/completions') === 'answer',
)!;

/** The request as a client sends it, read as the proxy reads it. */
function viewOf({ text }: SetQuery, tools: readonly SetTool[]): RequestView {
  const body = { model: 'm', messages: [{ role: 'user', content: text }], tools: tools.map(toChat) };
  const reading = CHAT.reading.readRequest(new BodyBytes([Buffer.from(JSON.stringify(body))]), {
    purpose: 'answer',
    searchToolName: 'gateway_search_tools',
    path: '/v1/chat/completions',
    query: '',
  });
  if (!reading.ok) throw new TypeError(`a request of the bench cannot be read: ${reading.reason}`);
  return reading.view;
}

function toChat({ name, description, parameters }: SetTool): object {
  return { type: 'function', function: { name, description, ...(parameters && { parameters }) } };
}

const BYTES_PER_TOKEN = 4;

function tokensOf(tools: readonly SetTool[]): number {
  return (
    tools.reduce((sum, tool) => sum + Buffer.byteLength(JSON.stringify(toChat(tool))), 0) / BYTES_PER_TOKEN
  );
}

function mean<Item>(items: readonly Item[], measureOf: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + measureOf(item), 0) / items.length;
}
