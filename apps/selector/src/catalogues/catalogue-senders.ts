import { RecentMap } from '@winnow/service';
import type { CachedCatalogue } from './catalogue-cache.ts';

/**
 * Maximum number of remembered callers per catalogue. There are fewer tokens; there may be more client
 * certificates.
 */
const MAX_SENDERS = 1_000;

/**
 * The callers that have sent each catalogue. Callers share the results of equal bytes, but must not learn
 * what others have sent.
 *
 * Holds catalogues weakly.
 */
export class CatalogueSenders {
  readonly #scopes = new WeakMap<CachedCatalogue, RecentMap<string, true>>();

  /** Records that a caller has sent the catalogue; returns whether it had before. */
  note(catalogue: CachedCatalogue, scope: string): boolean {
    const scopes = this.#scopes.get(catalogue) ?? new RecentMap<string, true>(MAX_SENDERS);
    this.#scopes.set(catalogue, scopes);
    const hasSent = scopes.get(scope) === true;
    scopes.set(scope, true);
    return hasSent;
  }
}
