import type { OnDifference } from '../changes/plan-registration.ts';
import type { ServerTerms } from '../changes/server-terms.ts';
import type { Surroundings } from '../describe-tool.ts';
import type { Cursors } from '../pages/cursor.ts';
import type { Scope } from '../scope.ts';
import type { ScopeSearch } from '../search/scope-search.ts';
import type { AlwaysLoaded } from '../search-tool/search-tool.ts';

/** Parts that all views of one registry share. */
export interface RegistryParts extends Surroundings {
  readonly scope: Scope;
  readonly cursors: Cursors;
  readonly searches: ScopeSearch;
  /** Memory used by the index, in bytes. */
  readonly indexBytes: () => number;
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number;
  /** Yields to other work during a long task. */
  readonly pause: () => Promise<void>;
  /** Tools that a model sees from the start. */
  readonly alwaysLoaded: AlwaysLoaded;
  /** Returns the terms of an MCP server; undefined for an unknown one. Missing where no server is ever called. */
  readonly serverTerms: ((server: string) => ServerTerms | undefined) | undefined;
  readonly onDifference: OnDifference;
  readonly close: () => Promise<void>;
}
