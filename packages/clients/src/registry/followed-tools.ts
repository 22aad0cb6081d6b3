import type { ListedTool } from '@winnow/core';

/**
 * The tools that a follower has read from a registry. The service decides which parts of them to keep.
 *
 * Contract: no call throws or waits. Calls are sequential, one page of tools at a time, and other work runs
 * between them.
 */
export interface FollowedTools {
  /** The number of tools. */
  readonly size: number;
  /** Adds tools, or replaces those with the same ids. */
  put(tools: readonly ListedTool[]): void;
  /** Removes tools by id; ignores unknown ids. */
  remove(ids: Iterable<string>): void;
  /** Removes all other tools. */
  keepOnly(ids: ReadonlySet<string>): void;
  /** Removes all tools, because they may no longer be used. */
  clear(): void;
  /** Called after all tools were read, so that expensive data can be prepared before the next search. */
  prepare(): void;
  /** Returns the id, and the ids of known tools whose names may change when this tool is added or removed. */
  namedLike(id: string): readonly string[];
}
