import type { Texts } from '@winnow/embeddings';
import { type Catalogue, meaningText } from '@winnow/ranking';

/**
 * The texts by which the meaning of a catalogue's tools is known. They do not hold the catalogue: of one that was let go there is nothing left to learn, however
 * many of them wait.
 *
 * @param isSecret whether a tool's description stays here, and the names of its parameters with it.
 */
export function catalogueTexts(catalogue: Catalogue, isSecret: (name: string) => boolean): Texts {
  const held = new WeakRef(catalogue);
  return {
    count: catalogue.positions,
    table: {},
    textOf(position) {
      const essence = held.deref()?.table.essence(position);
      if (essence === undefined) return undefined;
      return meaningText(
        isSecret(essence.name) ? { name: essence.name, description: '', parameters: [] } : essence,
      );
    },
  };
}
