import type { RegistryView } from './registry-content.ts';

/** The position of the tool with an id, undefined when it is not in sight. Every tool is to be found by its id, which may be another one's name. */
export function positionOf(
  { snapshot: { catalogue, keyAt }, excluded }: RegistryView,
  id: string,
): number | undefined {
  return catalogue.names
    .positionsOf(id)
    .filter((position) => position < catalogue.positions && catalogue.absent?.[position] !== 1)
    .find((position) => keyAt(position) === id && excluded?.[position] !== 1);
}
