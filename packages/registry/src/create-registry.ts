import { setImmediate as nextTurn } from 'node:timers/promises';
import type { OnDifference, ServerTerms } from './changes/plan-registration.ts';
import { SEES_ALL } from './content/tool-filter.ts';
import type { RegistryLimits } from './limits.ts';
import { REGISTRY_LIMITS } from './limits.ts';
import { BACKEND_KINDS, type BackendPolicy, preferKinds } from './model/tool.ts';
import { Cursors } from './pages.ts';
import type { Registry } from './registry.ts';
import { Scope } from './scope.ts';
import type { ToolMeanings } from './search/built-in-searcher.ts';
import { BuiltInSearcher } from './search/built-in-searcher.ts';
import { ScopeSearch } from './search/scope-search.ts';
import type { Searcher } from './search/searcher.ts';
import { type Degradation, GuardedSearch } from './search/searcher.ts';
import type { AlwaysLoaded } from './search-tool/search-tool.ts';
import { createMemoryStore } from './stores/memory.ts';
import type { RegistryStore } from './stores/store.ts';
import { ViewedRegistry } from './viewed-registry.ts';

export interface RegistryClock {
  /** Milliseconds of a monotonic clock. */
  now(): number;
  /** Milliseconds since the epoch. */
  wallClock(): number;
}

/** Options of {@link createRegistry}. */
export interface RegistryOptions {
  readonly clock: RegistryClock;
  /** Returns 64 random hexadecimal digits that cannot be guessed. */
  readonly randomId: () => string;
  /** A store in memory by default. */
  readonly store?: RegistryStore;
  /** The owner of the tools; `default` when missing. Scopes of one store are isolated from one another. */
  readonly scope?: string;
  /** Resolves searches in place of the built-in searcher, which takes over when this one fails or is late. */
  readonly searcher?: Searcher;
  /** Time limit of that searcher, in milliseconds; 250 by default. */
  readonly searcherTimeoutMs?: number;
  /** Ranks by meaning as well; keywords alone when missing. */
  readonly meanings?: ToolMeanings;
  /** Prefers local, then provider, then MCP backends by default. */
  readonly backendPolicy?: BackendPolicy;
  /** Returns when an MCP server's tools became possibly outdated; undefined while they are current. */
  readonly staleSince?: (server: string) => number | undefined;
  /**
   * Returns the terms of an MCP server; undefined for an unknown one. Without it, any registration may name any server,
   * which is safe only where tools are never called on servers.
   */
  readonly serverTerms?: (server: string) => ServerTerms | undefined;
  readonly limits?: Partial<RegistryLimits>;
  /** Treatment of a tool that is registered again with another definition; `refuse` by default. */
  readonly onDifference?: OnDifference;
  /** Tools that a model sees from the start; the 5 most called ones by default. */
  readonly alwaysLoaded?: AlwaysLoaded;
  /** Returns a signal that aborts after the given milliseconds; `AbortSignal.timeout` by default. */
  readonly deadline?: (timeoutMs: number) => AbortSignal;
  /** Yields to other work during a long task; one turn of the event loop by default. */
  readonly pause?: () => Promise<void>;
  readonly onListenerFailure?: (error: unknown) => void;
  readonly onDegraded?: (degradation: Degradation, error: unknown) => void;
}

const DEFAULT_MOST_CALLED = 5;
const DEFAULT_SEARCHER_TIMEOUT_MS = 250;

/** Opens a registry over one scope of a store, with its stored content. Rejects when the store cannot be read. */
export async function createRegistry(options: RegistryOptions): Promise<Registry> {
  const { clock, scope: name = 'default', backendPolicy = preferKinds(BACKEND_KINDS) } = options;
  const store = options.store ?? createMemoryStore({ makeEpoch: () => makeEpoch(options.randomId) });
  const scopeStore = await store.openScope(name);
  const pause = options.pause ?? (() => nextTurn());
  const limits = { tools: REGISTRY_LIMITS.tools, ...options.limits };
  const builtIn = new BuiltInSearcher(pause, { meanings: options.meanings });
  const searcher = options.searcher ?? builtIn;
  const content = await scopeStore.load((tools) => builtIn.readAhead(tools));
  const scope = new Scope({
    name,
    store: scopeStore,
    content,
    limits,
    searchers: searcher === builtIn ? [builtIn] : [builtIn, searcher],
    wallClock: () => clock.wallClock(),
    onListenerFailure: options.onListenerFailure ?? (() => {}),
  });
  await builtIn.prepare();
  // The next read of the store catches up with anything missed here.
  const stopListening = scopeStore.shared?.onNews(() => void scope.catchUp().catch(() => {}));
  const cursors = new Cursors(name, scopeStore.epoch);
  const guarded = new GuardedSearch({
    searcher,
    fallback: builtIn,
    timeoutMs: options.searcherTimeoutMs ?? DEFAULT_SEARCHER_TIMEOUT_MS,
    deadline: options.deadline ?? AbortSignal.timeout,
    onDegraded: options.onDegraded ?? (() => {}),
  });
  const parts = {
    scope,
    tools: scope.tools,
    cursors,
    searches: new ScopeSearch({
      scope,
      cursors,
      guarded,
      now: () => clock.now(),
    }),
    backendPolicy,
    staleSince: options.staleSince ?? (() => undefined),
    serverTerms: options.serverTerms,
    onDifference: options.onDifference ?? 'refuse',
    indexBytes: () => builtIn.bytes + (searcher === builtIn ? 0 : searcher.bytes),
    wallClock: () => clock.wallClock(),
    pause,
    alwaysLoaded: options.alwaysLoaded ?? { mostCalled: DEFAULT_MOST_CALLED },
    close: async () => {
      stopListening?.();
      await scope.settled();
    },
  };
  return new ViewedRegistry(parts, SEES_ALL);
}

/** Creates the epoch of a new scope. */
export function makeEpoch(randomId: () => string): { readonly id: string; readonly key: string } {
  return { id: randomId().slice(0, 16), key: randomId() };
}
