import type { SearchTool } from '../format/view.ts';

/** Most groups that the description names; the rest is a number. */
const MAX_GROUPS = 40;

/**
 * The search tool for these deferred tools: what it does, how to call it, and what can be found with it.
 *
 * Equal for the same set of names in any order, so that the prompt's prefix stays as it is while tools are loaded. The
 * groups come from the first words of the names (`github_create_issue` is of `github`), each with its number of tools;
 * a word that most names begin with (`mcp__…`) says nothing, so those names are grouped by their first two words.
 */
export function describeSearchTool(
  name: string,
  deferredNames: readonly string[],
  { counts = true, asking = ASKING }: DescriptionOptions = {},
): SearchTool {
  const names = [...new Set(deferredNames)].sort();
  const description = [
    `Finds tools that are available but not shown${counts ? `; there are ${names.length}` : ''}.`,
    'Search before you conclude that something cannot be done with the tools shown.',
    asking,
    'The tools that are found can be called directly afterwards.',
    'Call this tool alone, not together with other tools.',
    counts
      ? `What can be found, with the number of tools: ${listGroups(names)}.`
      : `What can be found: ${listLabels(names)}.`,
  ].join(' ');
  return { name, description };
}

const ASKING =
  'Ask for one thing in each search: a few words with a verb and its object, such as "create an issue", or the name of a tool or of a group.';

/** The parameters of the search tool, as a JSON schema that every format takes. */
export const SEARCH_PARAMETERS = {
  type: 'object',
  properties: {
    query: { type: 'string', description: 'What the tool should do, in a few words, or its name.' },
  },
  required: ['query'],
  additionalProperties: false,
} as const;

/** How much the description says. */
export interface DescriptionOptions {
  /** Whether it says how many tools there are, in all and in each group; true by default. Without, groups stand in the order of their labels. */
  readonly counts?: boolean;
  /** How to search, in a sentence; by words or a name unless said. */
  readonly asking?: string;
}

interface Group {
  readonly label: string;
  readonly names: readonly string[];
}

function listGroups(names: readonly string[]): string {
  const groups = groupByWords(names, 1).sort(
    (a, b) => b.names.length - a.names.length || (a.label < b.label ? -1 : 1),
  );
  const shown = groups.slice(0, MAX_GROUPS).map(writeGroup);
  const rest = groups.slice(MAX_GROUPS).reduce((sum, group) => sum + group.names.length, 0);
  return [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join(', ');
}

/** Groups without their numbers, in an order in which they stay when tools come and go. */
function listLabels(names: readonly string[]): string {
  const labels = groupByWords(names, 1).map(({ label, names: [only, ...others] }) =>
    others.length === 0 ? only! : label,
  );
  const shown = labels.sort().slice(0, MAX_GROUPS);
  return [...shown, ...(labels.length > MAX_GROUPS ? ['and more'] : [])].join(', ');
}

/** A tool without relatives stands under its whole name. */
function writeGroup({ label, names }: Group): string {
  return names.length === 1 ? names[0]! : `${label} (${names.length})`;
}

function groupByWords(names: readonly string[], words: number): Group[] {
  const groups = [...Map.groupBy(names, (name) => firstWords(name, words))];
  return groups.flatMap(([label, members]) => {
    const saysNothing = members.length > names.length / 2 && members.length > 2 && words < 3;
    const parts = saysNothing ? groupByWords(members, words + 1) : [];
    // Splitting is worth it only when groups come of it, not a list of single tools.
    return parts.length > 1 && parts.length <= members.length / 2 ? parts : [{ label, names: members }];
  });
}

/** The beginning of a name up to the end of its n-th word; words end at signs and where camel case begins a new one. */
function firstWords(name: string, words: number): string {
  const ends = [...name.matchAll(/\p{Lu}?[^\p{Lu}_\-./:\s]+|\p{Lu}+/gu)].map(
    (word) => word.index + word[0].length,
  );
  return name.slice(0, ends[words - 1] ?? name.length);
}
