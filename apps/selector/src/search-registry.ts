import {
  chooseTools,
  explainPositions,
  type FindQuery,
  findTools,
  type Match,
  matchOf,
  type Pause,
  type Selection,
  selectByPattern,
  summarized,
  type ToolExplanation,
  type ToolQuery,
} from '@winnow/ranking';
import type { RegistryView } from './registry-content.ts';

/** The meaning of a `catalog_id` for a registry: all of its tools, or those of one namespace. */
export interface RegistryId {
  /** Undefined for all namespaces. */
  readonly namespace: string | undefined;
}

const ALL = 'registry';
const OF_NAMESPACE = `${ALL}:`;

/** Parses `registry` and `registry:NAMESPACE`; undefined for any other id. */
export function readRegistryId(catalogId: string | undefined): RegistryId | undefined {
  if (catalogId === ALL) return { namespace: undefined };
  if (!catalogId?.startsWith(OF_NAMESPACE)) return undefined;
  return { namespace: catalogId.slice(OF_NAMESPACE.length) };
}

/**
 * Selects the tools of a registry that fit a query best, by the names that models call them by. Ranks like
 * the registry, and selects like from any other catalogue. Rejects only if `pause` does.
 */
export async function selectFromRegistry(
  view: RegistryView,
  { pattern, searchType, topK, alwaysKeep, meaning }: ToolQuery,
  pause: Pause,
): Promise<Selection> {
  const { snapshot, excluded } = view;
  const kept = positionsToKeep(view, alwaysKeep);
  const query = {
    pattern,
    searchType,
    limit: topK,
    alsoPositions: kept,
    ...(excluded && { excluded }),
    ...(meaning && { meaning }),
  };
  const found = await findTools(snapshot.catalogue, query, pause);
  const positions = new Map<string, number>();
  const nameAt = (position: number): string[] => {
    const name = view.toolNameOf(snapshot.keyAt(position));
    if (name !== undefined) positions.set(name, position);
    return name === undefined ? [] : [name];
  };
  const matches = found.hits.flatMap((hit): Match[] =>
    nameAt(hit.position).map((name) => matchOf(hit, name)),
  );
  // Words of tools that the caller may not see must not show.
  const hideWords = <Of extends { readonly unknownWords: readonly string[] }>(of: Of) =>
    excluded ? { ...of, unknownWords: [] } : of;
  const { byPattern } = selectByPattern(found, (position) => view.toolNameOf(snapshot.keyAt(position)));
  const { chosen, noMatch, keptLeftOut } = chooseTools(matches, kept.flatMap(nameAt), topK);
  const descriptionOf = (name: string) => snapshot.catalogue.table.description(positions.get(name)!);
  return {
    names: chosen.map(({ name }) => name),
    scores: chosen.map(({ score }) => score),
    noMatch,
    get references() {
      return summarized(chosen, descriptionOf);
    },
    keptLeftOut,
    totalMatches: found.totalMatches,
    searchType: found.searchType,
    certainty: found.certainty,
    unknownWords: hideWords(found).unknownWords,
    ...(byPattern && { byPattern: byPattern.map(hideWords) }),
  };
}

/** Returns the positions of tools to keep, by their ids or names, in the order of their ids. */
function positionsToKeep(view: RegistryView, alwaysKeep: readonly string[]): readonly number[] {
  const ids = new Set(alwaysKeep.flatMap((name) => view.idOf(name) ?? []));
  return [...ids].sort().flatMap((id) => positionOf(view, id) ?? []);
}

/**
 * Explains the place of each id or name in a search of a registry, by the names that models call tools by.
 * Tools outside the view are left out. Rejects only if `pause` does.
 */
export async function explainFromRegistry(
  view: RegistryView,
  names: readonly string[],
  { pattern, searchType, meaning }: Pick<FindQuery, 'searchType' | 'meaning'> & { readonly pattern: string },
  pause: Pause,
): Promise<ToolExplanation[]> {
  const { snapshot, excluded, idOf, toolNameOf } = view;
  const ids = new Set(names.flatMap((name) => idOf(name) ?? []));
  const nameAt = new Map<number, string>();
  for (const id of ids) {
    const [position, name] = [positionOf(view, id), toolNameOf(id)];
    if (position !== undefined && name !== undefined) nameAt.set(position, name);
  }
  const sight = { pattern, searchType, ...(meaning && { meaning }), ...(excluded && { excluded }) };
  const explained = await explainPositions(snapshot.catalogue, [...nameAt.keys()], sight, pause);
  return explained.map(({ position, ...explanation }) => ({ name: nameAt.get(position)!, ...explanation }));
}

/**
 * Returns the position of the tool with an id; undefined if it is not in the view. An id takes precedence
 * over an equal name of another tool.
 */
function positionOf(
  { snapshot: { catalogue, keyAt }, excluded }: RegistryView,
  id: string,
): number | undefined {
  return catalogue.names
    .positionsOf(id)
    .filter((position) => position < catalogue.positions && catalogue.absent?.[position] !== 1)
    .find((position) => keyAt(position) === id && excluded?.[position] !== 1);
}
