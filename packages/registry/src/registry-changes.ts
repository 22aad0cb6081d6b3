import type { ChangeEvent } from './changes/change.ts';
import { type ChangeListener, followChanges, type HistoryPlace } from './changes/change-history.ts';
import { planExamples } from './changes/plan-examples.ts';
import {
  type Effect,
  type OnDifference,
  planRegistration,
  planRemoval,
  type RegistrationBounds,
  touchedIds,
} from './changes/plan-registration.ts';
import {
  listedIds,
  PreparedTools,
  planServerList,
  type ServerList,
  type ServerListEffects,
} from './changes/plan-server-list.ts';
import { refuseServer, type ServerTerms } from './changes/server-terms.ts';
import type { Sight } from './content/sight.ts';
import type { Surroundings } from './describe-tool.ts';
import type { Backend } from './model/backend.ts';
import type { Registration, ToolExample } from './model/tool.ts';
import { namespaceOf } from './model/tool-names.ts';
import type { Cursors } from './pages.ts';
import { type Outcome, refuse } from './problem.ts';
import type { ChangeOptions, ChangeSummary, RegisterOptions, ServerListSummary } from './registry.ts';
import type { Changed, ChangeRequest, Scope } from './scope.ts';
import type { ScopeSearch } from './search/scope-search.ts';
import type { AlwaysLoaded } from './search-tool/search-tool.ts';

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

/** Makes and follows the changes of a registry, as far as its holder sees them. `Registry` describes each method. */
export class RegistryChanges {
  protected readonly parts: RegistryParts;
  protected readonly sight: Sight;

  constructor(parts: RegistryParts, sight: Sight) {
    this.parts = parts;
    this.sight = sight;
  }

  async register(
    tools: readonly Registration[],
    { dryRun = false, expectVersion, onDifference = this.parts.onDifference }: RegisterOptions = {},
  ): Promise<Outcome<ChangeSummary>> {
    const { scope, serverTerms } = this.parts;
    const bounds: RegistrationBounds = {
      limits: scope.limits,
      onDifference,
      mayChange: (namespace) => this.sight.sees(namespace),
      refuseServer: (named) => serverTerms && refuseServer(named, serverTerms(named.server), this.sight),
    };
    const request = {
      ids: touchedIds(tools),
      expectVersion,
      plan: (base) => planRegistration(tools, base, bounds),
    } satisfies ChangeRequest<{ effects: readonly { id: string; effect: Effect }[] }>;
    const changed = dryRun ? await scope.try(request) : await scope.change(request);
    return changed.ok ? this.#summarizeChange(changed.version, changed.effects) : changed;
  }

  async registerFromMcp(list: ServerList): Promise<Outcome<ServerListSummary>> {
    const { scope } = this.parts;
    if (!this.sight.sees(list.namespace)) {
      return refuse('forbidden', 'This token may not change that namespace.', 'namespace');
    }
    const prepared = await PreparedTools.inSlices(list, this.parts.pause);
    const { clearedNamespaces: cleared } = list;
    const present = [...scope.tools.idsOfServer(list.server)].filter(
      (id) => cleared === undefined || cleared.includes(namespaceOf(id)),
    );
    return scope.change({
      ids: [...new Set([...listedIds(list), ...present])],
      expectVersion: undefined,
      plan: (base) => planServerList(list, present, base, scope.limits, prepared),
    } satisfies ChangeRequest<ServerListEffects>);
  }

  async unregister(
    idOrName: string,
    backend?: Backend,
    { expectVersion }: ChangeOptions = {},
  ): Promise<Outcome<ChangeSummary>> {
    const id = this.#idOf(idOrName);
    const removal = { id, ...(backend && { backend }) };
    const sees = (namespace: string) => this.sight.sees(namespace);
    return this.#change({
      ids: [id],
      expectVersion,
      plan: (base) => planRemoval(removal, base, sees),
    });
  }

  async setExamples(
    idOrName: string,
    examples: readonly ToolExample[],
    { expectVersion }: ChangeOptions = {},
  ): Promise<Outcome<ChangeSummary>> {
    const id = this.#idOf(idOrName);
    const sees = (namespace: string) => this.sight.sees(namespace);
    return this.#change({
      ids: [id],
      expectVersion,
      plan: (base) => planExamples(id, examples, base, sees),
    });
  }

  async refresh(): Promise<Outcome<{ readonly version: number }>> {
    const change = { upserts: [], removals: [], events: [{ type: 'refreshed' }] } as const;
    return this.parts.scope.change({
      ids: [],
      expectVersion: undefined,
      plan: () => ({ ok: true, change }),
    });
  }

  onChange(listener: ChangeListener): () => void {
    if (typeof listener !== 'function') return () => {};
    return this.parts.scope.listeners.add((event) => {
      if (this.#seesEvent(event)) listener(event);
    });
  }

  changesSince(place: HistoryPlace): Outcome<{ readonly events: readonly ChangeEvent[] }> {
    const { scope } = this.parts;
    const events = scope.history.since(place, scope.version);
    if (events === undefined) {
      // A version ahead of the newest belongs to another epoch.
      const message =
        place.version > scope.version
          ? 'This version has not existed: list the tools again.'
          : 'The changes since then are no longer kept: list the tools again.';
      return refuse('stale_cursor', message, 'since');
    }
    return {
      ok: true,
      events: events.filter((event) => this.#seesEvent(event)).map((event) => structuredClone(event)),
    };
  }

  changes(
    place: HistoryPlace,
    signal: AbortSignal,
  ): Outcome<{ readonly events: AsyncIterable<ChangeEvent> }> {
    const kept = this.changesSince(place);
    if (!kept.ok) return kept;
    return { ok: true, events: followChanges(kept.events, (listener) => this.onChange(listener), signal) };
  }

  #seesEvent({ id }: ChangeEvent): boolean {
    return id === undefined || this.sight.sees(namespaceOf(id));
  }

  /** Returns the id of a name; an unknown name counts as an id, which the newest content may have. */
  #idOf(idOrName: string): string {
    return this.parts.tools.find(idOrName)?.id ?? idOrName;
  }

  async #change(request: ChangeRequest<unknown>): Promise<Outcome<ChangeSummary>> {
    const { scope } = this.parts;
    let [removed, updated] = [0, 0];
    const changed: Changed<unknown> = await scope.change({
      ...request,
      plan: (base) => {
        const planned = request.plan(base);
        if (planned.ok) {
          removed = planned.change.removals.length;
          updated = planned.change.upserts.length;
        }
        return planned;
      },
    });
    if (!changed.ok) return changed;
    const unchanged = removed + updated === 0 ? 1 : 0;
    return { ok: true, version: changed.version, registered: 0, updated, unchanged, removed, effects: [] };
  }

  #summarizeChange(
    version: number,
    effects: readonly { id: string; effect: Effect }[],
  ): Outcome<ChangeSummary> {
    const count = (wanted: Effect) => effects.filter(({ effect }) => effect === wanted).length;
    return {
      ok: true,
      version,
      registered: count('registered'),
      updated: count('updated'),
      unchanged: count('unchanged'),
      removed: 0,
      effects: effects.map(({ id, effect }) => ({
        id,
        modelName: this.parts.tools.modelNameOf(id),
        effect,
      })),
    };
  }
}
