import type { ToolCounts } from '@winnow/contract';
import {
  type Plan,
  type RequestView,
  rememberBy,
  type SearchTool,
  type ToolEntry,
  type ToolSection,
} from '@winnow/wire';
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
  return shownOf(toolSection, defer, load, searchTool, offered);
}

const NONE: readonly string[] = [];

const shownOf = rememberBy(
  (
    { entries }: ToolSection,
    defer: readonly string[],
    load: readonly string[],
    searchTool: SearchTool | undefined,
    offered: readonly string[],
  ): ShownTools => {
    const isOffered = ({ name }: ToolEntry) => name !== undefined && offered.includes(name);
    const own = offered.length === 0 ? entries : entries.filter((entry) => !isOffered(entry));
    const [bytesBefore, bytesAfter] = measureTools(own, defer, load);
    const offeredBytes = offered.length === 0 ? 0 : measureTools(entries.filter(isOffered), [], [])[0];
    const added = offeredBytes + (searchTool ? searchToolBytes(searchTool) : 0);
    return { counts: countTools(own, defer, load), bytesBefore, bytesAfter: bytesAfter + added };
  },
);

function countTools(
  entries: readonly ToolEntry[],
  defer: readonly string[],
  load: readonly string[],
): ToolCounts {
  const isDeferred = new Set(defer);
  const deferred = entries.filter(({ name }) => name !== undefined && isDeferred.has(name)).length;
  const loaded = load.filter((name) => isDeferred.has(name)).length;
  return { total: entries.length, kept: entries.length - deferred, deferred, loaded };
}

function measureTools(
  entries: readonly ToolEntry[],
  defer: readonly string[],
  load: readonly string[],
): [before: number, after: number] {
  const isHidden = new Set(defer);
  for (const name of load) isHidden.delete(name);
  let before = 0;
  let after = 0;
  for (const { name, text } of entries) {
    before += text.length;
    if (name === undefined || !isHidden.has(name)) after += text.length;
  }
  return [before, after];
}
