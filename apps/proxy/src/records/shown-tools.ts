import type { ToolCounts } from '@winnow/core';
import { type Plan, type RequestView, rememberBy, type SearchTool, type ToolSection } from '@winnow/wire';
import { searchToolBytes } from '../strategies/search-tool-bytes.ts';

/** The part of the client's tools that one request shows the model. */
export interface ShownTools {
  readonly counts: ToolCounts;
  /** Bytes of the tools as the client sent them. */
  readonly bytesBefore: number;
  /** Bytes that the model reads: a deferred definition does not count until it is loaded. */
  readonly bytesAfter: number;
}

/** Returns the tools that a request edited by `plan` shows. */
export function shownTools(
  { toolSection }: RequestView,
  { defer, load, searchTool, offered = NONE }: Plan,
): ShownTools {
  if (toolSection === undefined) {
    return { counts: { total: 0, kept: 0, deferred: 0, loaded: 0 }, bytesBefore: 0, bytesAfter: 0 };
  }
  const { sizes, shown } = unloadedOf(toolSection, defer, searchTool, offered);
  const loaded = load.filter((name) => sizes.has(name));
  if (loaded.length === 0) return shown;
  const bytes = loaded.reduce((sum, name) => sum + sizes.get(name)!, 0);
  return {
    ...shown,
    counts: { ...shown.counts, loaded: loaded.length },
    bytesAfter: shown.bytesAfter + bytes,
  };
}

const NONE: readonly string[] = [];

/** Returns what a list shows before any tool is loaded, and the sizes of its deferred tools. */
const unloadedOf = rememberBy(
  (
    { entries }: ToolSection,
    defer: readonly string[],
    searchTool: SearchTool | undefined,
    offered: readonly string[],
  ): { readonly sizes: ReadonlyMap<string, number>; readonly shown: ShownTools } => {
    const sizes = new Map(defer.map((name) => [name, 0]));
    const isOffered = new Set(offered);
    const counts = { total: 0, kept: 0, deferred: 0, loaded: 0 };
    let bytesBefore = 0;
    let bytesAfter = searchTool ? searchToolBytes(searchTool) : 0;
    for (const { name, text } of entries) {
      const hidden = name === undefined ? undefined : sizes.get(name);
      if (name !== undefined && isOffered.has(name)) {
        bytesAfter += text.length;
        continue;
      }
      counts.total++;
      bytesBefore += text.length;
      if (hidden === undefined) {
        counts.kept++;
        bytesAfter += text.length;
      } else {
        counts.deferred++;
        sizes.set(name!, hidden + text.length);
      }
    }
    return { sizes, shown: { counts, bytesBefore, bytesAfter } };
  },
);
