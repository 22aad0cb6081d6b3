import type { Registry } from '@winnow/registry';
import type { CallRefusal } from './call-refusal.ts';
import type { After } from './process-group.ts';
import type { Connector } from './server-connection.ts';
import type { Isolation } from './server-entry.ts';

/** Effects of the servers of one tenant. */
export interface ServerEffects {
  /** Whose tools they are. */
  readonly registry: Registry;
  readonly connector: Connector;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number;
  /** From 0 to 1: spreads actions that would otherwise happen at the same time. */
  readonly random: () => number;
  readonly after: After;
  /** Lets others go first in the middle of work that takes long. */
  readonly pause: () => Promise<void>;
  readonly observer: ServersObserver;
  /** The isolation of servers whose entries don't name one; `none` by default. */
  readonly defaultIsolation?: () => Isolation;
}

/** A registered tool that is not called on its server. */
export interface RefusedTool {
  readonly id: string;
  readonly reason: CallRefusal;
}

/** Receives events for logs and metrics, without secrets. */
export interface ServersObserver {
  /** A refresh is over; `code` says why it failed. */
  onRefresh(refresh: {
    readonly server: string;
    readonly durationMs: number;
    readonly code: string | undefined;
    readonly message: string | undefined;
    readonly changed: number;
  }): void;
  /** Definitions of a pinned server differ from those that were approved. */
  onPending(server: string, tools: readonly string[]): void;
  /** Tools were left out of a list. */
  onLeftOut(server: string, tools: readonly { readonly tool: string; readonly reason: string }[]): void;
  /** Registered tools are not called on their server. */
  onRefused(server: string, tools: readonly RefusedTool[]): void;
  onLost(server: string, reason: string): void;
}

/** Fixed limits and times. */
export const SERVER_TIMES = {
  /** From a notice of change to the refresh. */
  debounceMs: 500,
  backoffMs: { first: 1_000, most: 300_000 },
  /** A connection that broke sooner does not count: the server's backoff continues. */
  stableMs: 60_000,
  breaker: { failures: 5, openMs: 30_000 },
  /** Servers that are read at a time, and how long one that does not answer counts among them. */
  atOnce: 4,
  slotMs: 5_000,
  /** For all lists but that of tools. */
  offersMs: 10_000,
  /** After so long without a call, the process of one caller ends. */
  idleMs: 600_000,
} as const;
