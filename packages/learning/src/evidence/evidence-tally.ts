import type { StoredRecord } from '@winnow/core';
import { SessionSample } from '../conversations/session-sample.ts';
import { addExchange, beginConversation, cutName, type SeenConversation } from './seen-conversation.ts';
import { type ClientCount, type Support, supportOf } from './support.ts';

/** A tool as described by a list of tools. */
interface ListedTool {
  readonly name: string;
  /** Size of its definition. */
  readonly bytes: number;
  /** Whether it is never deferred. */
  readonly kept?: boolean | undefined;
}

/** The tools of a request. */
export interface ToolList {
  readonly id: string;
  readonly tools: readonly ListedTool[];
}

/** Findings of conversations about the tools of one agent, at one upstream, with one model. */
export interface AgentEvidence {
  readonly agent: string;
  readonly upstream: string;
  readonly model: string;
  readonly conversations: number;
  /** Number of distinguishable clients. */
  readonly clients: number;
  /** The names and globs of `always_keep` that held last. */
  readonly keptPatterns: readonly string[];
  /** By name. */
  readonly tools: readonly ToolEvidence[];
  readonly unanswered: readonly UnansweredSearch[];
}

export interface ToolEvidence {
  readonly name: string;
  /** Size of its definition; undefined without a list of tools. */
  readonly bytes?: number;
  /** Whether it is never deferred; undefined without a list of tools. */
  readonly isKept?: boolean;
  /** Conversations that called it, of those that declared it. */
  readonly called: Support;
  /** Conversations whose first search with a call led to it. */
  readonly searchedFirst: Support;
  /** Words of searches that led to it and that its definition lacks, the most frequent first. */
  readonly words: readonly WordEvidence[];
}

export interface WordEvidence {
  readonly word: string;
  readonly support: Support;
  /** Number of conversations, halved for each {@link HALF_LIFE_DAYS} that they are older than the newest. */
  readonly weight: number;
}

/** A search that found nothing. */
export interface UnansweredSearch {
  readonly hash: string;
  /** Present if queries were recorded. */
  readonly text?: string;
  readonly support: Support;
}

/** Maximum numbers of conversations and lists in memory, of tools in all lists together, and of agents to judge. */
const MOST_CONVERSATIONS = 10_000;
const MOST_LISTS = 500;
const MOST_LISTED = 100_000;
const MOST_AGENTS = 50;
/** Maximum numbers in a result. */
const MOST_WORDS = 64;
const MOST_UNANSWERED = 50;

/** Time in which the weight of a conversation's words halves. */
const HALF_LIFE_DAYS = 30;
const DAY_MS = 86_400_000;

/**
 * Gathers what conversations show about tools, from records in any order and in bounded memory: of very many
 * conversations, a fair sample.
 */
export class EvidenceTally {
  readonly #sample = new SessionSample<SeenConversation>(beginConversation, MOST_CONVERSATIONS);
  readonly #lists = new Map<string, ToolList>();
  #listed = 0;

  /** Adds a list of tools; of the same list, the first counts. */
  addList({ id, tools }: ToolList): void {
    const key = cutName(id);
    if (this.#lists.has(key) || this.#lists.size >= MOST_LISTS) return;
    if (this.#listed + tools.length > MOST_LISTED) return;
    this.#listed += tools.length;
    this.#lists.set(key, { id: key, tools: tools.map((tool) => ({ ...tool, name: cutName(tool.name) })) });
  }

  add(record: StoredRecord): void {
    const { session, outcome, status = 0, tools } = record;
    // An upstream that refuses a request has not accepted its credential, either.
    const isAnswered = outcome === 'answered' && status >= 200 && status < 300;
    if (session === undefined || !isAnswered || tools.total === 0) return;
    const seen = this.#sample.entryOf(session);
    if (seen !== undefined) addExchange(seen, record);
  }

  /** The agents with the most conversations first. */
  result(): readonly AgentEvidence[] {
    const groups = Object.values(Object.groupBy(this.#sample.entries, keyOf)) as SeenConversation[][];
    return groups
      .sort((one, other) => other.length - one.length || (keyOf(one[0]!) < keyOf(other[0]!) ? -1 : 1))
      .slice(0, MOST_AGENTS)
      .map((seen) => evidenceOf(seen, this.#lists));
  }
}

function keyOf({ agent, upstream, model }: SeenConversation): string {
  return JSON.stringify([agent, upstream, model]);
}

function evidenceOf(seen: readonly SeenConversation[], lists: ReadonlyMap<string, ToolList>): AgentEvidence {
  const { agent, upstream, model } = seen[0]!;
  const clients = new Set(seen.flatMap(({ client }) => client ?? []));
  return {
    ...{ agent, upstream, model },
    conversations: seen.length,
    clients: clients.size,
    keptPatterns: newestOf(seen).keptPatterns ?? [],
    tools: toolsOf(seen, lists),
    unanswered: unansweredOf(seen),
  };
}

function newestOf(seen: readonly SeenConversation[]): SeenConversation {
  return seen.reduce((latest, one) => (one.ended > latest.ended ? one : latest));
}

function toolsOf(seen: readonly SeenConversation[], lists: ReadonlyMap<string, ToolList>): ToolEvidence[] {
  const declared = declaredBy(seen, lists);
  const called = countWhere(seen, ({ called }) => called);
  const first = countWhere(seen, ({ searchedFirst }) =>
    searchedFirst === undefined ? [] : [searchedFirst.tool],
  );
  const all = wholesOf(seen);
  const words = wordsOf(seen);
  const names = new Set([...declared.keys(), ...called.keys(), ...first.keys()]);
  return [...names].sort().map((name): ToolEvidence => {
    const told = declared.get(name);
    // Without a list, every conversation of the agent may have declared the tool.
    const wholes = told?.wholes ?? all;
    return {
      name,
      ...(told && { bytes: told.tool.bytes, isKept: told.tool.kept === true }),
      called: supportOf(joined(called.get(name), wholes)),
      searchedFirst: supportOf(joined(first.get(name), wholes)),
      words: words.get(name) ?? [],
    };
  });
}

type Parts = ReadonlyMap<string | undefined, number>;

/** Counts by client the conversations that declare a tool. Takes lists as a whole: many conversations share one. */
function declaredBy(seen: readonly SeenConversation[], lists: ReadonlyMap<string, ToolList>) {
  const declared = new Map<string, { tool: ListedTool; wholes: Map<string | undefined, number> }>();
  // The newest list decides about a tool.
  const newestFirst = seen.toSorted((one, other) => (one.ended < other.ended ? 1 : -1));
  for (const [id, own] of Map.groupBy(newestFirst, ({ list }) => list)) {
    const wholes = wholesOf(own);
    for (const tool of (id === undefined ? undefined : lists.get(id)?.tools) ?? []) {
      const known = declared.get(tool.name);
      if (known === undefined) declared.set(tool.name, { tool, wholes: new Map(wholes) });
      else
        for (const [client, whole] of wholes)
          known.wholes.set(client, (known.wholes.get(client) ?? 0) + whole);
    }
  }
  return declared;
}

function wholesOf(seen: readonly SeenConversation[]): Map<string | undefined, number> {
  const wholes = new Map<string | undefined, number>();
  for (const { client } of seen) wholes.set(client, (wholes.get(client) ?? 0) + 1);
  return wholes;
}

/** Counts the conversations of each client that have a key. */
function countWhere(
  seen: readonly SeenConversation[],
  keysOf: (one: SeenConversation) => Iterable<string>,
): Map<string, Map<string | undefined, number>> {
  const counts = new Map<string, Map<string | undefined, number>>();
  for (const one of seen) {
    for (const key of keysOf(one)) {
      const byClient = counts.get(key) ?? new Map<string | undefined, number>();
      counts.set(key, byClient);
      byClient.set(one.client, (byClient.get(one.client) ?? 0) + 1);
    }
  }
  return counts;
}

function joined(parts: Parts = new Map(), wholes: Parts): Map<string | undefined, ClientCount> {
  const clients = new Set([...parts.keys(), ...wholes.keys()]);
  return new Map(
    [...clients].map((client) => {
      const part = parts.get(client) ?? 0;
      return [client, { part, whole: Math.max(part, wholes.get(client) ?? 0) }];
    }),
  );
}

function wordsOf(seen: readonly SeenConversation[]): Map<string, WordEvidence[]> {
  const newest = seen.reduce((latest, { ended }) => Math.max(latest, Date.parse(ended)), 0);
  const byTool = new Map<string, SeenConversation[]>();
  for (const one of seen) {
    for (const tool of one.words.keys()) byTool.set(tool, [...(byTool.get(tool) ?? []), one]);
  }
  return new Map([...byTool].map(([tool, own]) => [tool, wordsOfTool(tool, own, newest)]));
}

function wordsOfTool(tool: string, seen: readonly SeenConversation[], newest: number): WordEvidence[] {
  const counts = countWhere(seen, ({ words }) => words.get(tool)!);
  const weights = new Map<string, number>();
  for (const { words, ended } of seen) {
    const weight = 2 ** ((Date.parse(ended) - newest) / (HALF_LIFE_DAYS * DAY_MS));
    for (const word of words.get(tool)!) weights.set(word, (weights.get(word) ?? 0) + weight);
  }
  const wholes = wholesOf(seen);
  return [...counts]
    .map(([word, parts]) => ({ word, support: supportOf(joined(parts, wholes)), weight: weights.get(word)! }))
    .sort((one, other) => other.weight - one.weight || (one.word < other.word ? -1 : 1))
    .slice(0, MOST_WORDS);
}

function unansweredOf(seen: readonly SeenConversation[]): UnansweredSearch[] {
  const wholes = wholesOf(seen);
  const texts = new Map(seen.flatMap(({ unanswered }) => [...unanswered]));
  return [...countWhere(seen, ({ unanswered }) => unanswered.keys())]
    .map(([hash, parts]): UnansweredSearch => {
      const text = texts.get(hash);
      return { hash, ...(text !== undefined && { text }), support: supportOf(joined(parts, wholes)) };
    })
    .sort(
      (one, other) =>
        other.support.conversations - one.support.conversations || (one.hash < other.hash ? -1 : 1),
    )
    .slice(0, MOST_UNANSWERED);
}
