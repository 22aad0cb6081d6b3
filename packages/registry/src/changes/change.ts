import type { Backend } from '../model/backend.ts';
import type { StoredTool } from '../model/tool.ts';

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
