import type { McpTool } from '@winnow/registry';
import { type ListKind, type ListReading, type ReadList, readList } from './read-list.ts';

/** The list of tools of a server. */
export interface ListedTools extends Pick<ReadList, 'ttlMs' | 'leftOut'> {
  readonly tools: readonly McpTool[];
}

const TOOLS: ListKind = {
  member: 'tools',
  key: 'name',
  limits: { pages: 64, entries: 5_000, bytes: 32 * 2 ** 20 },
  isCut: false,
};

/** Reads a server's tools: the whole list within its limits, or a `ServerProblem`. */
export async function listTools(reading: ListReading): Promise<ListedTools> {
  const { entries, ...list } = await readList(reading, TOOLS);
  return { ...list, tools: entries as readonly unknown[] as readonly McpTool[] };
}
