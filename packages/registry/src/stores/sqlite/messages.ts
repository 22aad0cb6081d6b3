import type { Epoch, HistoryEntry } from '../store.ts';
import type { ToolRow } from '../tool-row.ts';

/** Requests to the database's thread. */
export type DatabaseRequest =
  | { readonly ask: 'openScope'; readonly name: string; readonly newEpoch: Epoch }
  | { readonly ask: 'tools'; readonly scope: number; readonly after: string; readonly limit: number }
  | { readonly ask: 'history'; readonly scope: number }
  | { readonly ask: 'read'; readonly scope: number; readonly ids: readonly string[] }
  | { readonly ask: 'write'; readonly scope: number; readonly writes: ScopeWrites }
  | {
      readonly ask: 'countCalls';
      readonly scope: number;
      readonly day: string;
      readonly calls: ReadonlyMap<string, number>;
    }
  | { readonly ask: 'calls'; readonly scope: number; readonly firstDay: string; readonly lastDay: string }
  | { readonly ask: 'readNote'; readonly scope: number; readonly name: string }
  | { readonly ask: 'writeNote'; readonly scope: number; readonly name: string; readonly value: string };

/** Changes of one scope, written atomically. */
export interface ScopeWrites {
  readonly changes: readonly WrittenChange[];
  readonly toolCount: number;
  readonly keepFrom: number;
}

/** A change with its parts as texts. */
export interface WrittenChange {
  readonly version: number;
  readonly at: number;
  readonly events: string;
  readonly upserts: readonly ToolRow[];
  readonly removals: readonly string[];
}

/** A stored scope. */
export interface OpenedScope {
  readonly scope: number;
  readonly epoch: Epoch;
  readonly version: number;
  readonly toolCount: number;
}

/** The value returned for each request. */
export interface DatabaseAnswers {
  readonly openScope: OpenedScope;
  readonly tools: readonly ToolRow[];
  readonly history: readonly HistoryEntry[];
  readonly read: readonly ToolRow[];
  readonly write: null;
  readonly countCalls: null;
  readonly calls: ReadonlyMap<string, number>;
  readonly readNote: string | null;
  readonly writeNote: null;
}

export interface Question {
  readonly number: number;
  readonly request: DatabaseRequest;
}

/** Reasons of a failed request. A full disk changes nothing else. */
export type DatabaseFailure = 'full' | 'failed';

export type Answer =
  | { readonly number: number; readonly ok: true; readonly value: DatabaseAnswers[keyof DatabaseAnswers] }
  | {
      readonly number: number;
      readonly ok: false;
      readonly failure: DatabaseFailure;
      readonly message: string;
    };

/** The thread's first message: the database is open, or the reason that it is not. */
export type Greeting =
  | { readonly opened: true }
  | {
      readonly opened: false;
      readonly code: 'damaged' | 'in_use' | 'too_new' | 'unreachable';
      readonly message: string;
    };
