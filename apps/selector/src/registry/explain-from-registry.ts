import { explainPositions, type FindQuery, type Pause, type ToolExplanation } from '@winnow/ranking';
import { positionOf } from './position-of.ts';
import type { RegistryView } from './registry-content.ts';

/**
 * Explains the place of each id or name in a search of a registry, by the names that models call tools by.
 * Tools outside the view are left out. Rejects only if `pause` does.
 */
export async function explainFromRegistry(
  view: RegistryView,
  names: readonly string[],
  { pattern, searchType, meaning }: Pick<FindQuery, 'pattern' | 'searchType' | 'meaning'>,
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
