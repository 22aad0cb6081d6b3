import { estimateTokens } from './estimate-tokens.ts';

/** A category as a model reads it. */
export interface Category {
  readonly name: string;
  /** Some of the tools that it holds, in one line. */
  readonly line: string;
}

/** Longest text, in characters. */
const MAX_CHARS = 4_000;

const HOW = `# Finding tools
More tools are available to you than are shown. tool_search_tool finds them: it returns references, and the tools it found are then among your tools.`;

const WHEN = `Search whenever the tools you see do not do what is asked, before you say that it cannot be done, and at once for all that is to be done, with a phrase for each.`;

const wording = (regex: string, filter: string) =>
  `A phrase describes one action and what it is done to ("create a ticket in Jira"), or gives a name or a part of one. Use ${regex} for patterns of names. If nothing fits, search again in other words or without ${filter}.`;

const REMINDER = `Searching does nothing by itself: a tool that was found must still be called.`;

/** The spelling of parameters in an application's search tool: how to search by a pattern, and the name of the filter. */
export interface SearchSpelling {
  readonly regex: string;
  readonly filter: string;
}

/**
 * The text about the search tool for a system prompt: how it works, when to use it, how to word a query, what it can find, and that
 * found tools must still be called.
 *
 * @param categories the largest first; as many as there is room for are named, and the others counted.
 * @param maxTokens how long the text may be, as `estimateTokens` counts.
 */
export function systemText(
  categories: readonly Category[],
  maxTokens: number,
  { regex, filter }: SearchSpelling,
): string {
  const fixed = [HOW, WHEN, wording(regex, filter)].join('\n\n');
  let listed: readonly string[] = [];
  for (let count = 1; count <= categories.length; count++) {
    const next = categories
      .slice(0, count)
      .map(({ name, line }) => (line === '' ? `- ${name}` : `- ${name}: ${line}`));
    const text = compose(fixed, next, categories.length - count);
    if (text.length > MAX_CHARS || estimateTokens(text) > maxTokens) break;
    listed = next;
  }
  return compose(fixed, listed, categories.length - listed.length);
}

function compose(fixed: string, lines: readonly string[], more: number): string {
  const rest = more > 0 ? [`- and ${more} more`] : [];
  const list = [...lines, ...rest];
  const parts = list.length === 0 ? [fixed] : [fixed, `Categories:\n${list.join('\n')}`];
  return [...parts, REMINDER].join('\n\n');
}
