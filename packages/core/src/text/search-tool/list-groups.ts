import { serverOf } from '../server-of.ts';

/** Most groups that a description names. */
const MAX_GROUPS = 40;

interface Group {
  readonly label: string;
  readonly names: readonly string[];
}

/**
 * Returns the largest groups, in an order that stays the same when tools come and go. A group is an MCP server or
 * namespace, by its name without the words `mcp` and `server`; tools of none, and those of a server that has most of
 * all, are grouped by the first words of their names. A tool without relatives stands under its whole name.
 */
export function listGroups(names: readonly string[]): string {
  const labels = labelsOf(names);
  return [...labels.slice(0, MAX_GROUPS).sort(), ...(labels.length > MAX_GROUPS ? ['and more'] : [])].join(
    ', ',
  );
}

/**
 * Returns a function that gives the groups of some of these tools, in their order, that `listGroups` leaves out; 12 at
 * most.
 */
export function groupsLeftOut(names: readonly string[]): (some: readonly string[]) => readonly string[] {
  const leftOut = new Set(labelsOf(names).slice(MAX_GROUPS));
  return (some) => {
    if (leftOut.size === 0) return [];
    const groups = some.flatMap((name) => {
      const server = serverOf(name);
      const labels = [name, server === '' ? firstWords(name, 1) : nameOfServer(server)];
      return labels.find((label) => leftOut.has(label)) ?? [];
    });
    return [...new Set(groups)].slice(0, MOST_LEFT_OUT);
  };
}

const MOST_LEFT_OUT = 12;

/** Returns the groups by name, the largest first. */
function labelsOf(names: readonly string[]): readonly string[] {
  const servers = [...Map.groupBy(names, serverOf)].flatMap(([server, members]) => {
    const label = nameOfServer(server);
    if (server === '') return groupByWords(members, 1);
    const isMost = members.length > names.length / 2 && members.length > 2;
    const group = { label, names: members };
    return isMost ? [group, ...partsOf(members, server)] : [group];
  });
  const groups = [...Map.groupBy(servers, ({ label }) => label)].map(([label, same]) => {
    const [only, ...others] = same.flatMap((group) => group.names);
    return { label: others.length === 0 ? only! : label, size: 1 + others.length };
  });
  return groups.sort((a, b) => b.size - a.size || (a.label < b.label ? -1 : 1)).map(({ label }) => label);
}

/** Returns the groups of a server's tools by the words behind its name, without those of a single tool. */
function partsOf(members: readonly string[], server: string): readonly Group[] {
  const inner = members.map((name) =>
    name.slice(name.indexOf(server) + server.length).replace(/^[^\p{L}\p{N}]+/u, ''),
  );
  return groupByWords(inner, 1).filter((group) => group.names.length > 1);
}

/** Words of a server's name that say nothing. */
const EMPTY_WORDS = /(?:^|[-_.\s])(?:mcp|server)(?=$|[-_.\s])/gi;

function nameOfServer(server: string): string {
  const name = server.replace(EMPTY_WORDS, '').replace(/^[-_.\s]+/, '');
  return name === '' ? server : name;
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
