import { graphemesOf } from '@winnow/text';
import type { FoundTool, SearchResult } from '../format/view.ts';

/** Longest description in a result, in UTF-16 code units, the ellipsis included. */
const SUMMARY_CHARS = 200;

/**
 * What the model reads as the answer to its search: one line for each found tool, and what to do now.
 *
 * Never empty of instruction, so that the model does not search for the same thing again. Descriptions are the client's
 * own data: each is folded to one line and cut at a whole character.
 */
export function resultText({ kind, tools, text = '' }: SearchResult): string {
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

/** What the model reads beside references to what was found: the definitions stand there, so that the tools need not be described again. */
export function foundLine(names: readonly string[]): string {
  return `Can be called now, the best match first: ${names.join(', ')}.`;
}

const FOUND_TEXT = 'These tools can be called now, the best match first:';
const NO_MATCH_TEXT =
  'No tool matches this search. Search again in other words, or go on with the tools that you have.';
const RESTORED_TEXT = 'All tools can be called now. Call the one that you need.';
const LIMIT_TEXT = 'No further searches are possible. Call the tools that you have, or answer without one.';

function toolLine({ name, description }: FoundTool): string {
  const summary = foldToLine(description);
  return summary === '' ? `- ${name}` : `- ${name}: ${summary}`;
}

function foldToLine(description: string): string {
  // What cannot be shown need not be folded: descriptions may be very long.
  const start = description.slice(0, SUMMARY_CHARS * 10).toWellFormed();
  const line = start.replace(/\s+/g, ' ').trim();
  if (line.length <= SUMMARY_CHARS) return line;
  let end = 0;
  for (const character of graphemesOf(line.slice(0, SUMMARY_CHARS * 2))) {
    if (end + character.length > SUMMARY_CHARS - 1) break;
    end += character.length;
  }
  return `${line.slice(0, end).trimEnd()}…`;
}
