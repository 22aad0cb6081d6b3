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

/** What happened to one tool, before it has its place in the history. */
export interface PlannedEvent {
  readonly type: EventType;
  /** Missing for `refreshed`, which is about all tools. */
  readonly id?: string;
  /** The backend that came, changed or went. */
  readonly backend?: Backend;
  readonly reason?: string;
  /** With `tool_updated` by an MCP server whose definition of the tool is another one than before. */
  readonly definition?: DefinitionChange;
}

/** How a definition became another one: what whoever fears a rug pull listens to. */
export interface DefinitionChange {
  /** Digests of the definitions. */
  readonly before: string;
  readonly after: string;
  /** Fields of the tool that differ. */
  readonly changed: readonly string[];
}

/** One event of a registry's history. */
export interface ChangeEvent extends PlannedEvent {
  /** Of the change that it belongs to; above 0, and rising by one from change to change. */
  readonly version: number;
  /** Its place in the change, from 0. */
  readonly index: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** What a change would do, without a place in the history yet. */
export interface PlannedChange {
  readonly upserts: readonly StoredTool[];
  /** Ids of tools that go. */
  readonly removals: readonly string[];
  /** Without events a change changes nothing. */
  readonly events: readonly PlannedEvent[];
}

/** A change with its place in the history: what a store writes, and what listeners hear of. */
export interface Change extends PlannedChange {
  readonly version: number;
  readonly at: number;
  readonly events: readonly ChangeEvent[];
}

/** The change in its place. */
export function placeChange(planned: PlannedChange, version: number, at: number): Change {
  const events = planned.events.map((event, index) => ({ ...event, version, index, at }));
  return { ...planned, version, at, events };
}
