/** Most groups that a description names; the rest is a number. */
const MAX_GROUPS = 40;

interface Group {
  readonly label: string;
  readonly names: readonly string[];
}

/** Groups with their numbers of tools, the largest first. */
export function listGroups(names: readonly string[]): string {
  const groups = groupByWords(names, 1).sort(
    (a, b) => b.names.length - a.names.length || (a.label < b.label ? -1 : 1),
  );
  const shown = groups.slice(0, MAX_GROUPS).map(writeGroup);
  const rest = groups.slice(MAX_GROUPS).reduce((sum, group) => sum + group.names.length, 0);
  return [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join(', ');
}

/** Groups without their numbers, in an order that stays the same when tools come and go. */
export function listLabels(names: readonly string[]): string {
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
