import type { AgentEvidence, ToolEvidence, UnansweredSearch } from '../evidence/evidence-tally.ts';
import type { Support } from '../evidence/support.ts';

/** Suggestions for one agent, at one upstream, with one model. A person decides; nothing changes by itself. */
export interface Suggestions {
  readonly agent: string;
  readonly upstream: string;
  readonly model: string;
  readonly conversations: number;
  readonly clients: number;
  /** The names and globs of `always_keep` that hold now. */
  readonly keptPatterns: readonly string[];
  /** Deferred tools to keep visible, the most needed first. */
  readonly keep: readonly KeepSuggestion[];
  /** Kept tools that no conversation has called, the largest first. */
  readonly release: readonly UnusedTool[];
  /** Deferred tools that no conversation has called, the largest first. */
  readonly unused: readonly UnusedTool[];
  /** Words for the descriptions of tools. */
  readonly words: readonly WordSuggestion[];
  /** Searches that found nothing, the most frequent first. */
  readonly unanswered: readonly UnansweredSearch[];
}

export interface KeepSuggestion {
  readonly tool: string;
  readonly bytes?: number;
  readonly called: Support;
  readonly searchedFirst: Support;
}

interface UnusedTool {
  readonly tool: string;
  readonly bytes: number;
  readonly called: Support;
}

/** Words with which models search for a tool, and which its definition lacks. */
interface WordSuggestion {
  readonly tool: string;
  readonly words: readonly { readonly word: string; readonly conversations: number }[];
}

/** The rules of all suggestions; docs/operations/report.md gives the reason of each. */
export const SUGGESTION_RULES = {
  /** Minimum number of conversations that show what an agent needs. */
  conversations: 20,
  /** Least share of conversations that call a tool to keep. */
  calledShare: 0.5,
  /** Least share of conversations that search for it before any other. */
  searchedFirstShare: 0.25,
  /** Minimum number of conversations without a call that show that a tool is not needed. */
  unusedAfter: 100,
  /** Minimum number of conversations that use a word, or search without a result. */
  repeated: 3,
} as const;

/** Maximum numbers of lines to suggest. */
const MOST_TOOLS = 50;
const MOST_WORDS = 8;

/** Returns suggestions from evidence; of agents with too few conversations, none. */
export function suggest(evidence: readonly AgentEvidence[]): Suggestions[] {
  return evidence
    .filter(({ conversations }) => conversations >= SUGGESTION_RULES.conversations)
    .map(suggestFor)
    .filter(({ keep, release, unused, words, unanswered }) =>
      [keep, release, unused, words, unanswered].some((lines) => lines.length > 0),
    );
}

function suggestFor({ tools, unanswered, ...agent }: AgentEvidence): Suggestions {
  return {
    ...agent,
    keep: tools.filter(isNeeded).map(toKeep).sort(byNeed).slice(0, MOST_TOOLS),
    release: tools
      .filter(({ isKept }) => isKept === true)
      .flatMap(toUnused)
      .sort(bySize)
      .slice(0, MOST_TOOLS),
    unused: tools
      .filter(({ isKept }) => isKept === false)
      .flatMap(toUnused)
      .sort(bySize)
      .slice(0, MOST_TOOLS),
    words: tools.flatMap(toWords).slice(0, MOST_TOOLS),
    unanswered: unanswered.filter(({ support }) => support.conversations >= SUGGESTION_RULES.repeated),
  };
}

/** Whether conversations need a deferred tool so often that it should be visible from their start. */
function isNeeded({ isKept, called, searchedFirst }: ToolEvidence): boolean {
  if (isKept !== false || called.of < SUGGESTION_RULES.conversations) return false;
  const { calledShare, searchedFirstShare } = SUGGESTION_RULES;
  return shareOf(called) >= calledShare || shareOf(searchedFirst) >= searchedFirstShare;
}

function toKeep({ name, bytes, called, searchedFirst }: ToolEvidence): KeepSuggestion {
  return { tool: name, ...(bytes !== undefined && { bytes }), called, searchedFirst };
}

function toUnused({ name, bytes, called }: ToolEvidence): UnusedTool[] {
  const isUnused = called.conversations === 0 && called.of >= SUGGESTION_RULES.unusedAfter;
  return isUnused && bytes !== undefined ? [{ tool: name, bytes, called }] : [];
}

function toWords({ name, words }: ToolEvidence): WordSuggestion[] {
  const repeated = words.filter(
    ({ word, support }) => isReadable(word) && support.conversations >= SUGGESTION_RULES.repeated,
  );
  if (repeated.length === 0) return [];
  const told = repeated.slice(0, MOST_WORDS);
  return [
    { tool: name, words: told.map(({ word, support }) => ({ word, conversations: support.conversations })) },
  ];
}

/** Whether a word was recorded in plain text. */
function isReadable(word: string): boolean {
  return !word.startsWith(HASHED);
}

/** The start of a word that was recorded by its hash. */
export const HASHED = '#';

function shareOf({ conversations, of }: Support): number {
  return of === 0 ? 0 : conversations / of;
}

function byNeed(one: KeepSuggestion, other: KeepSuggestion): number {
  const needOf = ({ called, searchedFirst }: KeepSuggestion) => shareOf(called) + shareOf(searchedFirst);
  return needOf(other) - needOf(one) || (one.tool < other.tool ? -1 : 1);
}

function bySize(one: UnusedTool, other: UnusedTool): number {
  return other.bytes - one.bytes || (one.tool < other.tool ? -1 : 1);
}
