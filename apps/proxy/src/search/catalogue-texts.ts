import type { Texts } from '@winnow/embeddings';
import { type Catalogue, meaningText } from '@winnow/ranking';

/**
 * Returns the texts that represent a catalogue's tools for search by meaning. They hold the catalogue weakly:
 * pending texts of a released catalogue are skipped.
 *
 * @param isSecret whether a tool's description is withheld.
 */
export function catalogueTexts(catalogue: Catalogue, isSecret: (name: string) => boolean): Texts {
  const held = new WeakRef(catalogue);
  return {
    count: catalogue.positions,
    table: {},
    textOf(position) {
      const essence = held.deref()?.table.essence(position);
      if (essence === undefined) return undefined;
      return meaningText(isSecret(essence.name) ? { name: essence.name, description: '' } : essence);
    },
  };
}
