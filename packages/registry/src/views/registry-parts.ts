import type { Surroundings } from '../describe-tool.ts';
import type { Cursors } from '../pages/cursor.ts';
import type { Scope } from '../scope.ts';
import type { ScopeSearch } from '../search/scope-search.ts';
import type { AlwaysLoaded } from '../search-tool/search-tool.ts';

/** What all views of one registry share. */
export interface RegistryParts extends Surroundings {
  readonly scope: Scope;
  readonly cursors: Cursors;
  readonly searches: ScopeSearch;
  /** Memory of the index, in bytes. */
  readonly indexBytes: () => number;
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number;
  /** Lets others go first in the middle of work that takes long. */
  readonly pause: () => Promise<void>;
  /** Tools that a model sees from the start. */
  readonly alwaysLoaded: AlwaysLoaded;
  readonly close: () => Promise<void>;
}
