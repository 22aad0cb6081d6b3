import {
  type Change,
  ChangeHistory,
  ChangeListeners,
  LayeredBase,
  type PlannedChange,
  placeChange,
  type ToolBase,
} from './changes/change-history.ts';
import { ScopeTools } from './content/scope-tools.ts';
import type { RegistryLimits } from './limits.ts';
import type { StoredTool } from './model/tool.ts';
import { type Outcome, refuse } from './problem.ts';
import type { Searcher } from './search/searcher.ts';
import type {
  ScopeContent,
  ScopeStore,
  SharedScope,
  TransactionBase,
  TransactionWrites,
} from './stores/store.ts';

export interface ChangeRequest<Planned> {
  /** Ids of all tools that the plan may read. */
  readonly ids: readonly string[];
  readonly expectVersion: number | undefined;
  /** Plans the change on the newest content. Pure. */
  readonly plan: (base: ToolBase) => Outcome<{ change: PlannedChange } & Planned>;
}

/** An executed plan, with the current version of the content. */
export type Changed<Planned> = Outcome<{ version: number } & Planned>;

/** Parts of a {@link Scope}. */
export interface ScopeParts {
  readonly name: string;
  readonly store: ScopeStore;
  readonly content: ScopeContent;
  readonly limits: RegistryLimits;
  /** Receive every change before the listeners do. */
  readonly searchers: readonly Searcher[];
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number;
  /** Receives the error of a listener that threw. */
  readonly onListenerFailure: (error: unknown) => void;
}

interface Waiting {
  readonly request: ChangeRequest<unknown>;
  readonly settle: (result: Changed<unknown>) => void;
  readonly fail: (error: unknown) => void;
}

/** Most changes in one write. */
const MAX_GROUP = 64;

/**
 * The content of one scope in this process, shared by all views, and the only way to change it.
 *
 * Changes that arrive during a write wait and are then written together: each keeps its own version, and all of them
 * cost the store one confirmation. A change becomes visible after the store has confirmed it.
 */
export class Scope {
  readonly name: string;
  readonly limits: RegistryLimits;
  readonly store: ScopeStore;
  readonly tools = new ScopeTools();
  readonly listeners: ChangeListeners;
  readonly #parts: ScopeParts;
  readonly #history: ChangeHistory;
  readonly #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  #version: number;
  #catchingUp: Promise<void> | undefined;
  /** Whether a caller needs changes newer than the last read. */
  #isBehind = false;

  constructor(parts: ScopeParts) {
    this.#parts = parts;
    this.name = parts.name;
    this.limits = parts.limits;
    this.store = parts.store;
    this.listeners = new ChangeListeners(parts.onListenerFailure);
    this.#version = parts.content.version;
    this.#history = new ChangeHistory(parts.content.history, parts.content.version);
    this.#load({ upserts: parts.content.tools, removals: [] });
  }

  get version(): number {
    return this.#version;
  }

  get history(): ChangeHistory {
    return this.#history;
  }

  /** Plans a change on the newest content and executes it. Resolves when it is written and visible. */
  change<Planned>(request: ChangeRequest<Planned>): Promise<Changed<Planned>> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({
        request,
        settle: resolve as (result: Changed<unknown>) => void,
        fail: reject,
      });
      this.#running ??= this.#run();
    });
  }

  /** Plans a change on the current content without executing it. */
  async try<Planned>({ plan, expectVersion }: ChangeRequest<Planned>): Promise<Changed<Planned>> {
    const base = this.#baseInMemory();
    const mismatch = findMismatch(base, expectVersion);
    if (mismatch !== undefined) return mismatch;
    const planned = plan(base);
    return planned.ok ? { ...planned, version: base.version } : planned;
  }

  /**
   * Applies the changes that other processes made to the store, and tells listeners about them. Rejects when the store
   * cannot be read.
   */
  async catchUp(): Promise<void> {
    const { shared } = this.store;
    if (shared === undefined) return;
    // A read in progress may be older than the change that the caller knows about.
    this.#isBehind = true;
    this.#catchingUp ??= this.#keepUp(shared);
    await this.#catchingUp;
  }

  /** Waits until no change is in progress. */
  async settled(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) await this.#runGroup(this.#waiting.splice(0, MAX_GROUP));
    this.#running = undefined;
  }

  async #runGroup(group: readonly Waiting[]): Promise<void> {
    const decided: (() => void)[] = [];
    let changes: readonly Change[] = [];
    try {
      const outcome = await this.store.transact(async (base) => {
        const writes = this.#planGroup(group, await this.#layerOn(base, group), decided);
        changes = writes.changes;
        return writes;
      });
      if (!outcome.ok) {
        const refusal = refuse(outcome.code, STORE_MESSAGES[outcome.code]);
        for (const { settle } of group) settle(refusal);
        return;
      }
    } catch (error) {
      for (const { fail } of group) fail(error);
      return;
    }
    await this.#publish(changes);
    for (const settle of decided) settle();
  }

  /** Publishes confirmed changes, after any changes that other processes made before them. */
  async #publish(changes: readonly Change[]): Promise<void> {
    const [first] = changes;
    if (first === undefined) return;
    if (first.version > this.#version + 1) {
      // If this read fails, the next one catches up; the changes themselves are confirmed.
      await this.catchUp().catch(() => {});
    }
    for (const change of changes) {
      // A concurrent catch-up has published it already.
      if (change.version !== this.#version + 1) continue;
      this.#apply(change);
      this.listeners.tell(change.events);
    }
  }

  async #keepUp(shared: SharedScope): Promise<void> {
    try {
      while (this.#isBehind) {
        this.#isBehind = false;
        await this.#followStore(shared);
      }
    } finally {
      this.#catchingUp = undefined;
    }
  }

  async #followStore(shared: SharedScope): Promise<void> {
    for (;;) {
      const from = this.#version;
      const news = await shared.changesSince(from);
      // This process published a change meanwhile, so the read is out of date.
      if (this.#version !== from) continue;
      if (news === undefined) {
        await this.#reload();
        continue;
      }
      if (news.version === from) return;
      this.#load(news);
      this.#version = news.version;
      for (const entry of news.history) this.#history.add(entry);
      for (const { events } of news.history) this.listeners.tell(events);
      return;
    }
  }

  /** Reloads everything when the history no longer covers all changes. */
  async #reload(): Promise<void> {
    const from = this.#version;
    const content = await this.store.load();
    // This process published a change meanwhile.
    if (this.#version !== from) return;
    const present = new Set(content.tools.map((tool) => tool.id));
    const removals = this.tools.ids.filter((id) => !present.has(id));
    this.#load({ upserts: content.tools, removals });
    this.#version = content.version;
    for (const entry of content.history) if (entry.version > from) this.#history.add(entry);
    this.listeners.tell([
      { type: 'refreshed', version: content.version, index: 0, at: this.#parts.wallClock() },
    ]);
  }

  /** Plans each request on top of the earlier ones. */
  #planGroup(group: readonly Waiting[], layer: LayeredBase, decided: (() => void)[]): TransactionWrites {
    const changes: Change[] = [];
    for (const { request, settle, fail } of group) {
      try {
        const planned = findMismatch(layer, request.expectVersion) ?? request.plan(layer);
        const change = planned.ok ? this.#take(planned.change, layer) : undefined;
        if (change !== undefined) changes.push(change);
        const { version } = layer;
        decided.push(() => settle(planned.ok ? { ...(planned as object), ok: true, version } : planned));
      } catch (error) {
        // A defect in one plan must not block the others.
        decided.push(() => fail(error));
      }
    }
    return { changes, toolCount: layer.toolCount, keepFrom: this.#history.keepFrom };
  }

  #take(planned: PlannedChange, layer: LayeredBase): Change | undefined {
    if (planned.events.length === 0) return undefined;
    for (const tool of planned.upserts) layer.put(tool);
    for (const id of planned.removals) layer.delete(id);
    layer.raiseVersion();
    return placeChange(planned, layer.version, this.#parts.wallClock());
  }

  /** Returns the newest content: from memory, unless another process has changed the store. */
  async #layerOn(base: TransactionBase, group: readonly Waiting[]): Promise<LayeredBase> {
    if (base.version === this.#version) return new LayeredBase(this.#baseInMemory());
    const tools = await base.read([...new Set(group.flatMap(({ request }) => request.ids))]);
    return new LayeredBase({
      version: base.version,
      toolCount: base.toolCount,
      get: (id) => tools.get(id),
    });
  }

  #baseInMemory(): ToolBase {
    return { version: this.#version, toolCount: this.tools.size, get: (id) => this.tools.get(id) };
  }

  #apply(change: Change): void {
    this.#load(change);
    this.#version = change.version;
    this.#history.add({ version: change.version, at: change.at, events: change.events });
  }

  #load(change: { upserts: readonly StoredTool[]; removals: readonly string[] }): void {
    this.tools.apply(change);
    for (const searcher of this.#parts.searchers) searcher.apply(change);
  }
}

const STORE_MESSAGES = {
  storage_full: 'The disk is full: nothing was changed.',
  storage_unavailable: 'The store does not answer: the change may or may not have been made.',
} as const;

function findMismatch({ version }: ToolBase, expected: number | undefined) {
  if (expected === undefined || expected === version) return undefined;
  return refuse('version_mismatch', `The content has version ${version}, not ${expected}.`);
}
