import type { RegistryView } from './registry-content.ts';

/**
 * Returns the position of the tool with an id; undefined if it is not in the view. An id takes precedence
 * over an equal name of another tool.
 */
export function positionOf(
  { snapshot: { catalogue, keyAt }, excluded }: RegistryView,
  id: string,
): number | undefined {
  return catalogue.names
    .positionsOf(id)
    .filter((position) => position < catalogue.positions && catalogue.absent?.[position] !== 1)
    .find((position) => keyAt(position) === id && excluded?.[position] !== 1);
}
