import type { PendingDefinition } from '@winnow/registry';
import type { Isolation } from './server-entry.ts';

/** `modern` is revision 2026-07-28 and later, which is stateless; `legacy` is everything before, which begins with `initialize`. */
export type ProtocolEra = 'legacy' | 'modern';

/**
 * The status of a server.
 *
 * - `disabled`: configured, but switched off.
 * - `connecting`: not reached yet since the start, and no attempt has failed.
 * - `up`: its last list was read, and the registry has it.
 * - `down`: the last attempt failed. Its tools stay, and another attempt follows.
 */
export type ServerStatus = 'disabled' | 'connecting' | 'up' | 'down';

/** State of one server, without secrets of its configuration. Times are milliseconds since the epoch. */
export interface ServerState {
  readonly name: string;
  readonly transport: 'stdio' | 'http';
  readonly status: ServerStatus;
  /** Undefined as long as the server was not reached. */
  readonly era: ProtocolEra | undefined;
  /** The revision that was agreed on, such as `2026-07-28`. */
  readonly protocolVersion: string | undefined;
  /** Empty for tools without a namespace. */
  readonly namespace: string;
  /** Stands in names in place of the namespace. */
  readonly prefix: string | undefined;
  /** Tools of it that the registry holds. */
  readonly tools: number;
  /** Prompts, resources and templates of resources that are relayed. */
  readonly prompts: number;
  readonly resources: number;
  readonly templates: number;
  /** When its list was last read to the end. */
  readonly lastRefresh: number | undefined;
  /** Why the last attempt failed; undefined after one that succeeded. */
  readonly lastError: { readonly code: string; readonly message: string; readonly at: number } | undefined;
  /** When its tools became possibly outdated. */
  readonly staleSince: number | undefined;
  /** Whether its annotations are believed. */
  readonly trustsAnnotations: boolean;
  /** Whether changed definitions wait for approval. */
  readonly isPinned: boolean;
  /** Callers that share its state. */
  readonly isolation: Isolation;
  /** Processes or sessions for single callers; the one that is for all is not counted. */
  readonly processes: number;
  /**
   * Entries of its lists that were rejected, by the server's own names, and lists that could not be read; at
   * most 100.
   */
  readonly leftOut: readonly { readonly tool: string; readonly reason: string }[];
  /** Changed definitions that wait for approval. */
  readonly pending: readonly PendingDefinition[];
  /** Ids of tools that other backends define otherwise: this server's backend is detached from them. */
  readonly diverged: readonly string[];
}
