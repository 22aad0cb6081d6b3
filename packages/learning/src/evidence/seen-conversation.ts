import type { StoredRecord } from '@winnow/core';
import { agentNameOf } from '../conversations/agent-of.ts';

/** Findings of the exchanges of one conversation, in bounded memory. */
export interface SeenConversation {
  /** Time of its first exchange, and of its last. */
  begun: string;
  ended: string;
  agent: string;
  upstream: string;
  model: string;
  /** The client's token or credential; undefined if it cannot be distinguished from others. */
  client?: string | undefined;
  /** The last list of tools, and the last names and globs of `always_keep`. */
  list?: string;
  keptPatterns?: readonly string[];
  readonly called: Set<string>;
  /** The tool that its first search with a call led to. */
  searchedFirst?: { readonly tool: string; readonly time: string };
  /** Words of searches that led to calls of these tools, and that their definitions lack. */
  readonly words: Map<string, Set<string>>;
  /** Searches that found nothing, by hash, with their texts if these were recorded. */
  readonly unanswered: Map<string, string | undefined>;
}

/** Outcomes of searches without a certain match. */
const IN_VAIN: ReadonlySet<string> = new Set(['no_match', 'weak']);

/** Maximum numbers and lengths to keep of one conversation; real ones stay far below. */
const MOST = { called: 48, taught: 16, wordsOfTool: 24, unanswered: 8, patterns: 64 } as const;
const MOST_CHARS = { name: 128, word: 48, query: 200 } as const;

/** Returns an empty conversation. */
export function beginConversation(): SeenConversation {
  return {
    ...{ begun: '', ended: '', agent: '', upstream: '', model: '' },
    called: new Set(),
    words: new Map(),
    unanswered: new Map(),
  };
}

/** Adds an exchange to its conversation; exchanges may come in any order. */
export function addExchange(seen: SeenConversation, record: StoredRecord): void {
  const { time, agent, upstream, model, called = [], taught = [], alwaysKeep, toolList } = record;
  if (seen.begun === '' || time < seen.begun) {
    const source = { agent: agentNameOf(record), upstream, model: model ?? 'unknown' };
    Object.assign(seen, { begun: time, ...source, client: agent?.client });
  }
  const led = firstSearched(record);
  if (led !== undefined && (seen.searchedFirst === undefined || time < seen.searchedFirst.time)) {
    seen.searchedFirst = { tool: cutName(led), time };
  }
  if (time >= seen.ended) {
    seen.ended = time;
    if (toolList !== undefined) seen.list = cutName(toolList.id);
    if (alwaysKeep !== undefined) seen.keptPatterns = patternsOf(alwaysKeep, seen.keptPatterns);
  }
  for (const name of called) {
    if (seen.called.size < MOST.called) seen.called.add(cutName(name));
  }
  for (const { tool, words } of taught) addWords(seen, tool, words);
  for (const search of record.searches) {
    if (!IN_VAIN.has(search.outcome) || seen.unanswered.size >= MOST.unanswered) continue;
    seen.unanswered.set(
      cut(search.queryHash, MOST_CHARS.word),
      search.queryText && cut(search.queryText, MOST_CHARS.query),
    );
  }
}

/** Returns the tool that the first search of an exchange with a call led to. */
function firstSearched({ searches, called = [] }: StoredRecord): string | undefined {
  for (const { outcome, names } of searches) {
    const led = outcome === 'found' ? called.find((name) => names.includes(name)) : undefined;
    if (led !== undefined) return led;
  }
  return undefined;
}

/** Returns the patterns; `known` if they are the same, as conversations of one agent have them in common. */
function patternsOf(
  alwaysKeep: NonNullable<StoredRecord['alwaysKeep']>,
  known: readonly string[] | undefined,
): readonly string[] {
  const patterns = Object.keys(alwaysKeep).slice(0, MOST.patterns);
  const isSame = known?.length === patterns.length && patterns.every((one, at) => one === known[at]);
  return isSame ? known : patterns.map((one) => cutName(one));
}

function addWords({ words }: SeenConversation, tool: string, added: readonly string[]): void {
  const name = cutName(tool);
  const known = words.get(name) ?? new Set<string>();
  if (!words.has(name) && words.size >= MOST.taught) return;
  words.set(name, known);
  for (const word of added) {
    if (known.size < MOST.wordsOfTool && word.length <= MOST_CHARS.word) known.add(word);
  }
}

/** Returns a name as evidence keeps it. */
export function cutName(name: string): string {
  return cut(name, MOST_CHARS.name);
}

/** A copy, as a slice would keep the whole text in memory. */
function cut(text: string, most: number): string {
  return text.length <= most ? text : Buffer.from(text.slice(0, most)).toString();
}
