/** Most groups that a description names. */
const MAX_GROUPS = 40;

interface Group {
  readonly label: string;
  readonly names: readonly string[];
}

/** The largest groups, in an order that stays the same when tools come and go. A tool without relatives stands under its whole name. */
export function listGroups(names: readonly string[]): string {
  const groups = groupByWords(names, 1).map(({ label, names: [only, ...others] }) => ({
    label: others.length === 0 ? only! : label,
    size: 1 + others.length,
  }));
  const largest = groups.sort((a, b) => b.size - a.size || (a.label < b.label ? -1 : 1)).slice(0, MAX_GROUPS);
  const labels = largest.map(({ label }) => label).sort();
  return [...labels, ...(groups.length > MAX_GROUPS ? ['and more'] : [])].join(', ');
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
