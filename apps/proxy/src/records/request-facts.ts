import { createHash } from 'node:crypto';
import type { ExchangeRecord, MeasuredTool, ToolCounts } from '@winnow/core';
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
    return { counts: { total: 0, deferred: 0, loaded: 0 }, bytesBefore: 0, bytesAfter: 0 };
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
    const counts = { total: 0, deferred: 0, loaded: 0 };
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
        bytesAfter += text.length;
      } else {
        counts.deferred++;
        sizes.set(name!, hidden + text.length);
      }
    }
    return { sizes, shown: { counts, bytesBefore, bytesAfter } };
  },
);

/** The tools of a request by name and size, and its id for records. */
export interface ListedTools {
  /** Equal for lists with the same names, sizes and kept tools. */
  readonly id: string;
  /** The tools as JSON: most lists have been seen before, and are not read again. */
  readonly json: string;
}

/** Maximum length of a list, in characters: some 5,000 tools. A longer one is not recorded. */
const MOST_LIST_CHARS = 256 * 1024;

/** Maximum length of a name, in characters: no provider allows longer ones. */
export const MOST_NAME_CHARS = 200;

/** Length of an id, in hexadecimal digits, as that of a query's hash. */
const ID_CHARS = 16;

/** Returns the tools of a request of which a plan defers those in `defer`; undefined without any. */
export function listedTools(
  section: ToolSection | undefined,
  defer: readonly string[],
): ListedTools | undefined {
  return section && listedOf(section, defer);
}

const listedOf = rememberBy(({ entries }: ToolSection, defer: readonly string[]): ListedTools | undefined => {
  const isDeferred = new Set(defer);
  const tools = entries.flatMap(({ name, text }): MeasuredTool[] =>
    name === undefined
      ? []
      : [
          {
            name: name.slice(0, MOST_NAME_CHARS),
            bytes: text.length,
            ...(!isDeferred.has(name) && { kept: true as const }),
          },
        ],
  );
  const json = JSON.stringify(tools);
  if (tools.length === 0 || json.length > MOST_LIST_CHARS) return undefined;
  return { id: createHash('sha256').update(json).digest('hex').slice(0, ID_CHARS), json };
});

/** The tools that a response called. */
export interface CalledTools {
  /** Names, without duplicates. */
  readonly called: readonly string[];
  /** Names among them that the model could not see. */
  readonly unseen: readonly string[];
}

/** Maximum number of names to keep of one response: far more than models call. */
const MOST_NAMES = 64;

/** Returns the tools that a response to this request called, whose tools `plan` has edited. */
export function calledTools(
  { tools }: Pick<RequestView, 'tools'>,
  { defer, load }: Pick<Plan, 'defer' | 'load'>,
  calledNames: readonly string[],
): CalledTools {
  const called = [...new Set(calledNames)].slice(0, MOST_NAMES);
  const isHidden = new Set(defer);
  for (const name of load) isHidden.delete(name);
  const isDeclared = (wanted: string) => tools.some(({ name }) => name === wanted);
  return { called, unseen: called.filter((name) => isHidden.has(name) || !isDeclared(name)) };
}

/** Returns the fields of a record; none for no call. */
export function callFields({ called, unseen }: CalledTools): Pick<ExchangeRecord, 'called' | 'unseen'> {
  return {
    ...(called.length > 0 && { called: [...called] }),
    ...(unseen.length > 0 && { unseen: [...unseen] }),
  };
}

/**
 * Returns the approximate bytes of the prompt that no earlier request of its conversation had: the history
 * from the model's last turn on, or else the user's opening messages. No cache can hold them.
 */
export function newBytes({ turns, history, openingTexts, spans }: RequestView): number {
  const turn = turns.at(-1);
  if (turn === undefined && openingTexts.length > 0) {
    return openingTexts.reduce((sum, text) => sum + text.length, 0);
  }
  const first = spans.history[turn?.position ?? 0];
  const last = spans.history[history.length - 1];
  return first && last ? last.end - first.start : 0;
}

/** Maximum length of a model's name, in characters: clients may write anything into it. */
const MODEL_CHARS = 256;

/**
 * Returns the model of a request for its record; undefined if the request names none or could not be read.
 */
export function modelName(view: RequestView | undefined): string | undefined {
  const model = view?.model;
  return model === undefined || model.length <= MODEL_CHARS ? model : copyOf(model.slice(0, MODEL_CHARS));
}

/** Copies a slice: it would keep the whole text in memory. */
function copyOf(slice: string): string {
  return Buffer.from(slice, 'utf16le').toString('utf16le');
}
