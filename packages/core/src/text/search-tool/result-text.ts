import { foldToLine } from '../readable-text.ts';

/** Longest description in a result, in UTF-16 code units, the ellipsis included. */
const SUMMARY_CHARS = 200;

/** A tool that a result names; its description may be of any length. */
export interface NamedTool {
  readonly name: string;
  readonly description: string;
}

/** The result of a search, or of another call, in whose place `text` stands. */
export interface ResultParts {
  readonly kind: 'found' | 'weak' | 'no_match' | 'restored' | 'limit' | 'answered';
  readonly tools: readonly NamedTool[];
  readonly text?: string;
  /** Words of the search that no tool contains. */
  readonly unknownWords?: readonly string[] | undefined;
  readonly doubts?: MoreParts['doubts'];
  readonly next?: MoreParts['next'];
}

/** The parts of a result that stand behind the tools that it found. */
export interface MoreParts {
  /** Queries without a certain match, the tools that come nearest, and the words that no tool contains. */
  readonly doubts: readonly {
    readonly query: string;
    readonly tools: readonly NamedTool[];
    readonly unknownWords: readonly string[];
  }[];
  /** Names of further matches, the best first. */
  readonly next: readonly string[];
}

/**
 * The text that the model reads as the result of its search: one line for each found tool, and what to do now.
 *
 * Never empty of instruction, so that the model does not search for the same thing again. Descriptions are the client's
 * own data: each is folded to one line and cut at a whole character.
 */
export function resultText(parts: ResultParts): string {
  const { kind, tools, text = '', unknownWords = [], doubts = [], next = [] } = parts;
  switch (kind) {
    case 'found':
      return [FOUND_TEXT, ...tools.map(toolLine), ...moreLines({ doubts, next })].join('\n');
    case 'weak':
      return [
        `${WEAK_TEXT} and cannot be called yet:`,
        ...tools.map(toolLine),
        ...unknownLine(unknownWords),
        ...moreLines({ doubts, next }),
        WEAK_ADVICE,
      ].join('\n');
    case 'no_match':
      return [NO_MATCH_TEXT, ...unknownLine(unknownWords), NO_MATCH_ADVICE].join(' ');
    case 'restored':
      return RESTORED_TEXT;
    case 'limit':
      return LIMIT_TEXT;
    case 'answered':
      return text;
    default:
      return kind satisfies never;
  }
}

/** The lines on queries without a certain match, and on further matches. */
export function moreLines({ doubts, next }: MoreParts): readonly string[] {
  return [
    ...doubts.flatMap(({ query, tools, unknownWords }) => {
      const quoted = JSON.stringify(foldToLine(query, QUERY_CHARS));
      if (tools.length === 0) return [`No tool matches ${quoted}.`, ...unknownLine(unknownWords)];
      return [`No tool clearly matches ${quoted}. Not loaded, but nearest:`, ...tools.map(toolLine)];
    }),
    ...(next.length === 0 ? [] : [`${NEXT_TEXT} ${next.join(', ')}.`]),
  ];
}

/** Longest query in a result, in UTF-16 code units. */
const QUERY_CHARS = 80;

const NEXT_TEXT = 'Further matches, which can be called once a search for the name has found them:';

/** The line next to references to found tools. Their definitions stand there, so it gives names alone. */
export function foundLine(names: readonly string[]): string {
  return `Can be called now, the best match first: ${names.join(', ')}.`;
}

/** The line that names tools which may fit a request, for a model that has to load them by a search. */
export function preloadLine(
  names: readonly string[],
  searchToolName: string,
  groups: readonly string[] = [],
): string {
  const line = `Tools that may fit this request, each loaded by a search for its exact name with ${searchToolName}: ${names.join(', ')}.`;
  return [line, ...groupsLine(groups)].join(' ');
}

/** Returns the line on groups that the search tool does not name and that may fit a request; none without any. */
export function groupsLine(groups: readonly string[]): readonly string[] {
  return groups.length === 0 ? [] : [`Further groups that may fit: ${groups.join(', ')}.`];
}

/** The text before definitions of tools that may fit a request. */
export function preloadHeading(bridgeToolName: string): string {
  return `Tools that may fit this request. They are called with ${bridgeToolName}.`;
}

const FOUND_TEXT = 'These tools can be called now, the best match first:';
/** The beginning of the line before weak matches. */
export const WEAK_TEXT = 'No tool clearly matches this search. These come nearest';
const WEAK_ADVICE =
  'To use one of them, search for its exact name. Otherwise tell the user that no tool here does this, rather than search for it again.';
/** The beginning of a result without matches. */
export const NO_MATCH_TEXT = 'No tool matches this search.';
const NO_MATCH_ADVICE =
  'Go on with the tools that you have, or tell the user that no tool here does this, rather than search for it again.';
const RESTORED_TEXT = 'All tools can be called now. Call the one that you need.';
const LIMIT_TEXT = 'No further searches are possible. Call the tools that you have, or answer without one.';

/** Returns the line on words that no tool contains; none without any. */
export function unknownLine(words: readonly string[]): string[] {
  return words.length === 0 ? [] : [`Words that no tool contains: ${words.join(', ')}.`];
}

/** Returns a tool's name and the beginning of its description on one line. */
export function toolLine({ name, description }: NamedTool): string {
  // The rest cannot be shown: descriptions may be very long.
  const summary = foldToLine(description.slice(0, SUMMARY_CHARS * 10), SUMMARY_CHARS);
  return summary === '' ? `- ${name}` : `- ${name}: ${summary}`;
}
