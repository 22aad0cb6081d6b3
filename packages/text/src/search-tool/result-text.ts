import { foldToLine } from '../fold-to-line.ts';

/** Longest description in a result, in UTF-16 code units, the ellipsis included. */
const SUMMARY_CHARS = 200;

/** A tool that a result names; its description may be of any length. */
export interface NamedTool {
  readonly name: string;
  readonly description: string;
}

/** The result of a search, or of another call, in whose place `text` stands. */
export interface ResultParts {
  readonly kind: 'found' | 'no_match' | 'restored' | 'limit' | 'answered';
  readonly tools: readonly NamedTool[];
  readonly text?: string;
}

/**
 * The text that the model reads as the result of its search: one line for each found tool, and what to do now.
 *
 * Never empty of instruction, so that the model does not search for the same thing again. Descriptions are the client's
 * own data: each is folded to one line and cut at a whole character.
 */
export function resultText({ kind, tools, text = '' }: ResultParts): string {
  switch (kind) {
    case 'found':
      return `${FOUND_TEXT}\n${tools.map(toolLine).join('\n')}`;
    case 'no_match':
      return NO_MATCH_TEXT;
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

/** The line next to references to found tools. Their definitions stand there, so it gives names alone. */
export function foundLine(names: readonly string[]): string {
  return `Can be called now, the best match first: ${names.join(', ')}.`;
}

const FOUND_TEXT = 'These tools can be called now, the best match first:';
const NO_MATCH_TEXT =
  'No tool matches this search. Search again in other words, or go on with the tools that you have.';
const RESTORED_TEXT = 'All tools can be called now. Call the one that you need.';
const LIMIT_TEXT = 'No further searches are possible. Call the tools that you have, or answer without one.';

function toolLine({ name, description }: NamedTool): string {
  // The rest cannot be shown: descriptions may be very long.
  const summary = foldToLine(description.slice(0, SUMMARY_CHARS * 10), SUMMARY_CHARS);
  return summary === '' ? `- ${name}` : `- ${name}: ${summary}`;
}

/** A tool that the front door found. */
export interface DoorTool {
  readonly name: string;
  readonly summary: string;
  /** The tool that calls it. */
  readonly caller: string;
  /** Lines that describe its parameters. */
  readonly lines: readonly string[];
}

/** The front door's text for one tool, as Markdown. */
export function doorBlock({ name, summary, caller, lines }: DoorTool): string {
  const parameters = lines.length === 0 ? 'No parameters.' : 'Parameters:';
  return [`### ${name}`, summary, `Call with ${caller}. ${parameters}`, ...lines].join('\n');
}

/** The front door's text for the tools that fit into it, `total` being the number of all that match. */
export function doorResultText(blocks: readonly string[], total: number, notes: readonly string[]): string {
  const heading = `${blocks.length} of ${total} matching ${total === 1 ? 'tool' : 'tools'}, the best first.`;
  const left = total - blocks.length;
  const more = left > 0 ? [`${left} more match: search in other words, or with a higher limit.`] : [];
  return [heading, ...blocks, [...more, ...notes].join('\n')].filter((part) => part !== '').join('\n\n');
}

/** The front door's text where nothing matches. */
export function doorNoMatchText(nearestNamespaces: readonly string[], notes: readonly string[]): string {
  const names = nearestNamespaces.join(', ');
  const near = names === '' ? '' : ` Namespaces with a similar name: ${names}.`;
  return [`No tool matches. Try other words, such as an action and its object.${near}`, ...notes].join('\n');
}
