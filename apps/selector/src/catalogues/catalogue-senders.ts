import { RecentMap } from '@winnow/service';
import type { CachedCatalogue } from './catalogue-cache.ts';

/** Most callers that are remembered for one catalogue. Tokens are fewer; client certificates may be more. */
const MAX_SENDERS = 1_000;

/**
 * Who has sent each catalogue. Callers share what was built from equal bytes, and none of them is to be told what another has sent.
 *
 * Lets go of what it knows with the catalogue itself.
 */
export class CatalogueSenders {
  readonly #scopes = new WeakMap<CachedCatalogue, RecentMap<string, true>>();

  /** Notes that a caller has sent the catalogue, and gives whether it had before. */
  note(catalogue: CachedCatalogue, scope: string): boolean {
    const scopes = this.#scopes.get(catalogue) ?? new RecentMap<string, true>(MAX_SENDERS);
    this.#scopes.set(catalogue, scopes);
    const hasSent = scopes.get(scope) === true;
    scopes.set(scope, true);
    return hasSent;
  }
}
