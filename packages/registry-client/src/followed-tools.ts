import type { ListedTool } from '@winnow/contract';

/**
 * Where a follower puts what it reads of a registry: whoever follows one decides what is kept of its tools.
 *
 * Contract: no call throws or waits. Calls come one after the other, a page of tools at a time, with turns of others between them.
 */
export interface FollowedTools {
  /** How many there are. */
  readonly size: number;
  /** Adds tools, or replaces those with their ids. */
  put(tools: readonly ListedTool[]): void;
  /** Ids of none are passed over. */
  remove(ids: Iterable<string>): void;
  /** Removes all others. */
  keepOnly(ids: ReadonlySet<string>): void;
  /** Nothing of what was known may be used any longer. */
  clear(): void;
  /** All tools were read: what is dear may be made ready ahead of the next search. */
  prepare(): void;
  /** The id, and those of known tools whose names may change when it comes or goes. */
  namedLike(id: string): readonly string[];
}
