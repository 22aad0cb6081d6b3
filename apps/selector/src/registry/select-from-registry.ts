import {
  chooseTools,
  findTools,
  type Match,
  type Pause,
  type Selection,
  summarize,
  type ToolQuery,
} from '@winnow/ranking';
import { positionOf } from './position-of.ts';
import type { RegistryView } from './registry-content.ts';

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
  const matches = found.hits.flatMap(({ position, ...hit }): Match[] =>
    nameAt(position).map((name) => ({ ...hit, name })),
  );
  const { chosen, noMatch, keptLeftOut } = chooseTools(matches, kept.flatMap(nameAt), topK);
  const { table } = snapshot.catalogue;
  return {
    names: chosen.map(({ name }) => name),
    noMatch,
    references: chosen.map((tool) => ({
      ...tool,
      summary: summarize(table.description(positions.get(tool.name)!)),
    })),
    keptLeftOut,
    totalMatches: found.totalMatches,
    searchType: found.searchType,
    certainty: found.certainty,
    // Words of tools that the caller may not see must not show.
    unknownWords: excluded ? [] : found.unknownWords,
  };
}

/** Returns the positions of tools to keep, by their ids or names, in the order of their ids. */
function positionsToKeep(view: RegistryView, alwaysKeep: readonly string[]): readonly number[] {
  const ids = new Set(alwaysKeep.flatMap((name) => view.idOf(name) ?? []));
  return [...ids].sort().flatMap((id) => positionOf(view, id) ?? []);
}
