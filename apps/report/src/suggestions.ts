import { printable, type StoredRecord, type ToolListRecord } from '@winnow/core';
import type { Part, Table } from './tables/cells.ts';
import { formatCount } from './text/format.ts';

/** Suggestions for one agent, at one upstream, with one model. A person decides; nothing changes by itself. */
export interface Suggestions {
  readonly agent: string;
  /** Number of the agent's latest conversations that the suggestions are about. */
  readonly conversations: number;
  /** Deferred tools for `tools.always_keep`, the most called first. */
  readonly keep: readonly SuggestedTool[];
  /** Tools that no conversation called, the largest first. */
  readonly neverCalled: readonly SuggestedTool[];
}

interface SuggestedTool {
  readonly tool: string;
  readonly bytes: number;
  /** Whether it is kept now. */
  readonly isKept: boolean;
  /** Number of conversations that declared it, and of those that called it. */
  readonly declared: number;
  readonly called: number;
}

/** The rules of all suggestions; docs/operations/report.md explains them. */
export const SUGGESTION_RULES = {
  /** Conversations of an agent that count: its latest. */
  latest: 200,
  /** Minimum number of conversations that show what an agent needs. */
  fewest: 20,
  /** Least share of the conversations that call a tool to keep, and most tools to keep. */
  calledShare: 1 / 3,
  mostKept: 5,
  /** Minimum number of conversations without a call that show that a tool is not needed. */
  unusedAfter: 100,
} as const;

/** Bounds on memory: records are hostile input, and clients name agents, models and tools. */
const MOST = {
  agents: 100,
  called: 64,
  lists: 500,
  listedTools: 100_000,
  nameChars: 128,
  unused: 50,
} as const;

interface Conversation {
  /** Time of its last exchange. */
  ended: string;
  /** The last list of tools. */
  list?: string;
  readonly called: Set<string>;
}

/**
 * Gathers suggestions from records in any order, in bounded memory.
 *
 * Counts conversations and no clients: a client can invent as many credentials as it likes. Only exchanges that the
 * upstream accepted count, and only those whose calls are recorded.
 */
export class SuggestionsTally {
  readonly #agents = new Map<string, Map<string, Conversation>>();
  readonly #lists = new Map<string, ToolListRecord['tools']>();
  #listedTools = 0;

  /** Adds a list of tools; of the same list, the first counts. */
  addList({ id, tools }: Pick<ToolListRecord, 'id' | 'tools'>): void {
    const key = cut(id);
    if (this.#lists.has(key) || this.#lists.size >= MOST.lists) return;
    if (this.#listedTools + tools.length > MOST.listedTools) return;
    this.#listedTools += tools.length;
    this.#lists.set(key, tools);
  }

  add(record: StoredRecord): void {
    const { session, outcome, status = 0, toolList, time } = record;
    const isAccepted = outcome === 'answered' && status >= 200 && status < 300;
    if (session === undefined || toolList === undefined || !isAccepted || !hasCalls(record)) return;
    const conversation = this.#conversationOf(agentOf(record), cut(session), time);
    if (conversation === undefined) return;
    if (time >= conversation.ended) {
      conversation.ended = time;
      conversation.list = cut(toolList.id);
    }
    for (const name of record.called ?? record.observation?.called ?? []) {
      if (conversation.called.size < MOST.called) conversation.called.add(cut(name));
    }
  }

  #conversationOf(agent: string, session: string, time: string): Conversation | undefined {
    const conversations = this.#agents.get(agent) ?? new Map<string, Conversation>();
    if (!this.#agents.has(agent)) {
      if (this.#agents.size >= MOST.agents) return undefined;
      this.#agents.set(agent, conversations);
    }
    const conversation = conversations.get(session) ?? { ended: time, called: new Set<string>() };
    conversations.set(session, conversation);
    // Twice the number, so that the oldest are looked for rarely.
    if (conversations.size > 2 * SUGGESTION_RULES.latest) {
      for (const [key] of latestFirst(conversations).slice(SUGGESTION_RULES.latest))
        conversations.delete(key);
    }
    return conversation;
  }

  /** The agents with the most conversations first; those without suggestions are left out. */
  result(): Suggestions[] {
    return [...this.#agents]
      .map(([agent, all]) => ({
        agent,
        conversations: latestFirst(all)
          .slice(0, SUGGESTION_RULES.latest)
          .map(([, conversation]) => conversation),
      }))
      .filter(({ conversations }) => conversations.length >= SUGGESTION_RULES.fewest)
      .sort((one, other) => other.conversations.length - one.conversations.length || byText(one, other))
      .map(({ agent, conversations }) => ({ agent, ...this.#suggest(conversations) }))
      .filter(({ keep, neverCalled }) => keep.length + neverCalled.length > 0);
  }

  #suggest(conversations: readonly Conversation[]): Omit<Suggestions, 'agent'> {
    const tools = [...this.#countCalls(conversations)].map(([tool, counts]) => ({ tool, ...counts }));
    const { calledShare, fewest, mostKept, unusedAfter } = SUGGESTION_RULES;
    return {
      conversations: conversations.length,
      keep: tools
        .filter(
          ({ isKept, called, declared }) => !isKept && declared >= fewest && called >= declared * calledShare,
        )
        .sort((one, other) => other.called - one.called || (one.tool < other.tool ? -1 : 1))
        .slice(0, mostKept),
      neverCalled: tools
        .filter(({ called, declared }) => called === 0 && declared >= unusedAfter)
        .sort((one, other) => other.bytes - one.bytes || (one.tool < other.tool ? -1 : 1))
        .slice(0, MOST.unused),
    };
  }

  /** Counts by tool; the newest list decides whether it is kept. */
  #countCalls(conversations: readonly Conversation[]) {
    const counts = new Map<string, { bytes: number; isKept: boolean; declared: number; called: number }>();
    for (const { list = '', called } of conversations) {
      for (const { name, bytes, kept } of this.#lists.get(list) ?? []) {
        const tool = cut(name);
        const count = counts.get(tool) ?? { bytes, isKept: kept === true, declared: 0, called: 0 };
        counts.set(tool, count);
        count.declared++;
        if (called.has(tool)) count.called++;
      }
    }
    return counts;
  }
}

/** Whether the record says which tools the model called, be it none. */
function hasCalls({ arm, planReason, observation }: StoredRecord): boolean {
  if (arm === 'full') return planReason === 'deferred';
  return observation?.called !== undefined;
}

/** Returns the program that a client names, or else the id of its agent, with upstream and model. */
function agentOf({ agent, upstream, model = 'unknown' }: StoredRecord): string {
  return [agent?.name ?? agent?.id ?? 'unknown', upstream, model].map(cut).join(' · ');
}

function latestFirst(conversations: ReadonlyMap<string, Conversation>): [string, Conversation][] {
  return [...conversations].sort(([a, one], [b, other]) =>
    one.ended === other.ended ? (a < b ? -1 : 1) : one.ended < other.ended ? 1 : -1,
  );
}

function byText(one: { readonly agent: string }, other: { readonly agent: string }): number {
  return one.agent < other.agent ? -1 : 1;
}

/** A copy, as a slice would keep the whole text in memory. */
function cut(text: string): string {
  return text.length <= MOST.nameChars ? text : Buffer.from(text.slice(0, MOST.nameChars)).toString();
}

/** Returns the suggestions in words, with the count next to each line. */
export function suggestionsPart(suggestions: readonly Suggestions[]): Part {
  return {
    id: 'suggestions',
    title: 'Suggestions',
    sentences: [suggestions.length === 0 ? NO_SUGGESTIONS : 'Nothing changes by itself.'],
    tables: [
      suggestionTable(suggestions, {
        title: 'Put into tools.always_keep',
        listOf: ({ keep }) => keep,
        note: "Deferred tools that at least a third of the agent's latest conversations called, five at most.",
      }),
      suggestionTable(suggestions, {
        title: 'Never called',
        listOf: ({ neverCalled }) => neverCalled,
        note: 'Does the client need to declare them?',
      }),
    ].filter(({ rows }) => rows.length > 0),
  };
}

const NO_SUGGESTIONS =
  'There is nothing to suggest: no agent has enough conversations, or nothing needs to change.';

interface SuggestionTable extends Pick<Table, 'title' | 'note'> {
  readonly listOf: (one: Suggestions) => readonly SuggestedTool[];
}

function suggestionTable(suggestions: readonly Suggestions[], { listOf, ...rest }: SuggestionTable): Table {
  return {
    ...rest,
    columns: ['Agent · upstream · model', 'Tool', 'Called in', 'Tokens'],
    textColumns: 3,
    rows: suggestions.flatMap((one) =>
      listOf(one).map(({ tool, bytes, declared, called }) => [
        printable(one.agent),
        printable(tool),
        `${formatCount(called)} of ${formatCount(declared)} conversations`,
        formatCount(Math.round(bytes / BYTES_PER_TOKEN)),
      ]),
    ),
  };
}

/** Bytes of definitions per token, as everywhere. */
const BYTES_PER_TOKEN = 4;
