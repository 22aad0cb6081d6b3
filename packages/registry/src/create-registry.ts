import { setImmediate as nextTurn } from 'node:timers/promises';
import { SEES_ALL } from './content/sight.ts';
import type { RegistryLimits } from './limits.ts';
import { REGISTRY_LIMITS } from './limits.ts';
import { BACKEND_KINDS, type BackendPolicy, preferKinds } from './model/backend.ts';
import { Cursors } from './pages/cursor.ts';
import type { Registry } from './registry.ts';
import { Scope } from './scope.ts';
import { BuiltInSearcher } from './search/built-in-searcher.ts';
import { type Degradation, GuardedSearch } from './search/guarded-search.ts';
import { ScopeSearch } from './search/scope-search.ts';
import type { Searcher } from './search/searcher.ts';
import { SizedSearcher } from './search/sized-searcher.ts';
import type { ToolMeanings } from './search/tool-meanings.ts';
import type { AlwaysLoaded } from './search-tool/search-tool.ts';
import { createMemoryStore } from './stores/memory.ts';
import type { RegistryStore } from './stores/store.ts';
import { ViewedRegistry } from './viewed-registry.ts';

/** What a registry takes from the world around it. */
export interface RegistryClock {
  /** Milliseconds that only ever grow. */
  now(): number;
  /** Milliseconds since the epoch. */
  wallClock(): number;
}

/** What a registry is made of. */
export interface RegistryOptions {
  readonly clock: RegistryClock;
  /** A random text of 64 hexadecimal digits: what is made of it must not be guessed. */
  readonly randomId: () => string;
  /** Memory when it is missing. */
  readonly store?: RegistryStore;
  /** Whose tools these are; `default` when it is missing. Scopes of one store know nothing of one another. */
  readonly scope?: string;
  /** Answers searches before the built-in one, which stands in when it fails or is late. */
  readonly searcher?: Searcher;
  /** How long that searcher may take, in milliseconds; 250 when it is missing. */
  readonly searcherTimeoutMs?: number;
  /** Orders searches by meaning too, in scopes that are searched by the index of this process; by keywords alone when it is missing. */
  readonly meanings?: ToolMeanings;
  /** Local, then provider, then MCP backends when it is missing. */
  readonly backendPolicy?: BackendPolicy;
  /** Since when an MCP server's tools may no longer be what it has; undefined for one that is as it was read. None ever are when it is missing. */
  readonly staleSince?: (server: string) => number | undefined;
  readonly limits?: Partial<RegistryLimits>;
  /** Tools that a model sees from the start; the 5 most called ones when it is missing. */
  readonly alwaysLoaded?: AlwaysLoaded;
  /** A signal that aborts after so many milliseconds, as `AbortSignal.timeout`, which stands in when there is none. */
  readonly deadline?: (timeoutMs: number) => AbortSignal;
  /** Lets others go first in the middle of work that takes long; a turn of the event loop when it is missing. */
  readonly pause?: () => Promise<void>;
  readonly onListenerFailure?: (error: unknown) => void;
  readonly onDegraded?: (degradation: Degradation, error: unknown) => void;
  /** Hears of every search that nobody could answer. */
  readonly onUnavailable?: (error: unknown) => void;
}

const DEFAULT_MOST_CALLED = 5;
const DEFAULT_SEARCHER_TIMEOUT_MS = 250;

/** A registry over one scope of a store, with everything that is stored there. Rejects when the store cannot be read. */
export async function createRegistry(options: RegistryOptions): Promise<Registry> {
  const { clock, scope: name = 'default', backendPolicy = preferKinds(BACKEND_KINDS) } = options;
  const store = options.store ?? createMemoryStore({ makeEpoch: () => makeEpoch(options.randomId) });
  const scopeStore = await store.openScope(name);
  const pause = options.pause ?? (() => nextTurn());
  const { engine } = scopeStore;
  const mostTools = engine ? REGISTRY_LIMITS.engineTools : REGISTRY_LIMITS.tools;
  const { indexedTools } = REGISTRY_LIMITS;
  const limits = { tools: mostTools, indexedTools, ...options.limits };
  const { meanings } = options;
  const builtIn = engine
    ? new SizedSearcher(engine, limits.indexedTools, pause, meanings)
    : new BuiltInSearcher(pause, { meanings });
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
  // What is missed is caught up with when the store is next asked.
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
      onUnavailable: options.onUnavailable ?? (() => {}),
    }),
    backendPolicy,
    staleSince: options.staleSince ?? (() => undefined),
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

/** A new life of a scope. */
export function makeEpoch(randomId: () => string): { readonly id: string; readonly key: string } {
  return { id: randomId().slice(0, 16), key: randomId() };
}
