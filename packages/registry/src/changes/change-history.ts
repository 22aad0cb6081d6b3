import type { Backend, StoredTool } from '../model/tool.ts';

export const EVENT_TYPES = [
  'tool_registered',
  'tool_updated',
  'backend_removed',
  'tool_removed',
  'refreshed',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** An event of one tool that has no position in the history yet. */
export interface PlannedEvent {
  readonly type: EventType;
  /** Missing for `refreshed`, which concerns all tools. */
  readonly id?: string;
  /** The added, changed or removed backend. */
  readonly backend?: Backend;
  readonly reason?: string;
  /** Present with `tool_updated` when an MCP server changed its definition of the tool. */
  readonly definition?: DefinitionChange;
}

/** A change of a definition, for clients that watch for rug pulls. */
export interface DefinitionChange {
  /** Digests of the definitions. */
  readonly before: string;
  readonly after: string;
  /** Fields of the tool that differ. */
  readonly changed: readonly string[];
}

/** One event of a registry's history. */
export interface ChangeEvent extends PlannedEvent {
  /** The version of its change; above 0 and rising by one per change. */
  readonly version: number;
  /** Its index in the change, from 0. */
  readonly index: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** A change that has no position in the history yet. */
export interface PlannedChange {
  readonly upserts: readonly StoredTool[];
  /** Ids of removed tools. */
  readonly removals: readonly string[];
  /** A change without events changes nothing. */
  readonly events: readonly PlannedEvent[];
}

/** A change with its position in the history, as stores write it and listeners receive it. */
export interface Change extends PlannedChange {
  readonly version: number;
  readonly at: number;
  readonly events: readonly ChangeEvent[];
}

/** A change as followers see it. */
export type HistoryEntry = Pick<Change, 'version' | 'at' | 'events'>;

/** Gives a planned change its position in the history. */
export function placeChange(planned: PlannedChange, version: number, at: number): Change {
  const events = planned.events.map((event, index) => ({ ...event, version, index, at }));
  return { ...planned, version, at, events };
}

/** The newest content that a change may read while it is planned. */
export interface ToolBase {
  readonly version: number;
  /** Tools of the scope. */
  readonly toolCount: number;
  /** Returns a tool that the change may read. */
  get(id: string): StoredTool | undefined;
}

/** A base with planned changes on top, so that several changes can be planned in a row. */
export class LayeredBase implements ToolBase {
  readonly #below: ToolBase;
  readonly #changed = new Map<string, StoredTool | undefined>();
  #version: number;
  #toolCount: number;

  constructor(below: ToolBase) {
    this.#below = below;
    this.#version = below.version;
    this.#toolCount = below.toolCount;
  }

  get version(): number {
    return this.#version;
  }

  get toolCount(): number {
    return this.#toolCount;
  }

  get(id: string): StoredTool | undefined {
    return this.#changed.has(id) ? this.#changed.get(id) : this.#below.get(id);
  }

  put(tool: StoredTool): void {
    if (this.get(tool.id) === undefined) this.#toolCount++;
    this.#changed.set(tool.id, tool);
  }

  delete(id: string): void {
    if (this.get(id) === undefined) return;
    this.#toolCount--;
    this.#changed.set(id, undefined);
  }

  /** Counts one more change. */
  raiseVersion(): void {
    this.#version++;
  }

  /** Returns every changed tool; undefined for a removed one. */
  changes(): ReadonlyMap<string, StoredTool | undefined> {
    return this.#changed;
  }
}

/** Kept history: this many events or this many changes, whichever reaches further back. */
const KEPT_EVENTS = 10_000;
const KEPT_CHANGES = 50;

/** A position in the history, after an event. */
export interface HistoryPlace {
  readonly version: number;
  /** The index of the event in its change; Infinity for the position after all its events. */
  readonly index: number;
}

/** The newest changes of a scope, for followers. */
export class ChangeHistory {
  #entries: HistoryEntry[] = [];
  #events = 0;
  /** The version before the oldest kept change. */
  #floor: number;

  /** @param version The version of the content, for an empty history. */
  constructor(entries: readonly HistoryEntry[], version: number) {
    this.#floor = (entries[0]?.version ?? version + 1) - 1;
    for (const entry of entries) this.add(entry);
  }

  /** The version of the oldest kept change; one above the newest version when none is kept. */
  get keepFrom(): number {
    return this.#floor + 1;
  }

  get size(): number {
    return this.#entries.length;
  }

  add(entry: HistoryEntry): void {
    this.#entries.push(entry);
    this.#events += entry.events.length;
    for (;;) {
      const oldest = this.#entries[0]!;
      if (this.#entries.length <= KEPT_CHANGES || this.#events - oldest.events.length < KEPT_EVENTS) return;
      this.#entries.shift();
      this.#events -= oldest.events.length;
      this.#floor = oldest.version;
    }
  }

  /** Returns the events after a place, in order; undefined when some are no longer kept or the place is ahead of `newest`. */
  since({ version, index }: HistoryPlace, newest: number): readonly ChangeEvent[] | undefined {
    const isKept =
      version > this.#floor || (version === this.#floor && (index === Infinity || version === 0));
    if (!isKept || version > newest) return undefined;
    return this.#entries
      .filter((entry) => entry.version >= version)
      .flatMap((entry) =>
        entry.version === version ? entry.events.filter((event) => event.index > index) : entry.events,
      );
  }
}

/** Receives every event, in order. */
export type ChangeListener = (event: ChangeEvent) => void;

/**
 * The listeners of a scope. They are called in order of registration. A listener that throws is reported, and the others
 * are still called.
 */
export class ChangeListeners {
  readonly #listeners = new Map<symbol, ChangeListener>();
  readonly #onFailure: (error: unknown) => void;

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  /** Adds a listener and returns a function that removes it, which may be called twice. Ignores a missing listener. */
  add(listener: ChangeListener | undefined): () => void {
    if (typeof listener !== 'function') return () => {};
    const key = Symbol('listener');
    this.#listeners.set(key, listener);
    return () => void this.#listeners.delete(key);
  }

  tell(events: readonly ChangeEvent[]): void {
    for (const event of events) {
      for (const [key, listener] of [...this.#listeners]) {
        // A listener may have removed another one.
        if (this.#listeners.has(key)) this.#tellOne(listener, event);
      }
    }
  }

  #tellOne(listener: ChangeListener, event: ChangeEvent): void {
    try {
      listener(structuredClone(event));
    } catch (error) {
      this.#onFailure(error);
    }
  }
}

/**
 * Yields the known events, then each new one, until the signal aborts.
 *
 * Listens from the call on, not from the first read, so no event is missed. Unread events wait in memory.
 */
export function followChanges(
  known: readonly ChangeEvent[],
  listen: (listener: ChangeListener) => () => void,
  signal: AbortSignal,
): AsyncIterable<ChangeEvent> {
  const waiting: ChangeEvent[] = [...known];
  let wake = () => {};
  const stop = listen((event) => {
    waiting.push(event);
    wake();
  });
  signal.addEventListener(
    'abort',
    () => {
      stop();
      wake();
    },
    { once: true },
  );
  return (async function* () {
    try {
      while (!signal.aborted) {
        const next = waiting.shift();
        if (next !== undefined) yield next;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      stop();
    }
  })();
}
