import type { Polyfilled } from '../../format/polyfilled.ts';
import type { RequestView, ToolEntry } from '../../format/view.ts';
import { isJsonObject } from '../../json/json-splice.ts';
import { writeRequest } from '../../request/write-request.ts';
import { readBlocks } from '../read-blocks.ts';
import { BETA_HEADERS, removeBetas } from './flat-betas.ts';
import { flattenReferences } from './flat-references.ts';
import { holdsSearches } from './flat-searches.ts';
import { flattenTools, isMarked } from './flat-tools.ts';

/**
 * Rewrites the request of a client that searches for tools itself, for a server that supports neither
 * `defer_loading` nor `tool_reference`. Undefined for a request that uses neither, for one whose searches the
 * provider runs (`hostedSearches`), and for one whose conversation changes tools in other ways.
 *
 * Deferred tools without a reference are left out. The others follow the tools that are not deferred, in
 * order of first reference, so that the prompt of a longer history begins like that of a shorter one. The
 * response needs no rewriting: a client's search is a function of its own.
 */
export function polyfill(view: RequestView): Polyfilled | undefined {
  const { tools, history, toolChoice } = view;
  if (tools.some(isOfVendor)) return undefined;
  if (history.some((message) => changesTools(message) || holdsSearches(message))) return undefined;
  const { edits, names } = flattenReferences(view);
  const isDeferring = tools.some(isMarked);
  if (edits.length === 0 && !isDeferring) return undefined;
  const shown = new Set([...names, ...toolChoice.names]);
  return {
    body: writeRequest(view, [
      ...(isDeferring ? flattenTools(view, shown) : []),
      ...edits,
      ...removeBetas(view),
    ]),
    removedHeaders: BETA_HEADERS,
  };
}

/** Whether an entry is a tool search of the vendor's, known or not. */
function isOfVendor({ definition }: ToolEntry): boolean {
  return isJsonObject(definition) && String(definition.type).startsWith('tool_search_tool');
}

const CHANGES: ReadonlySet<unknown> = new Set(['tool_addition', 'tool_removal']);

/** Whether a message adds tools to the conversation or removes some. */
export function changesTools(message: unknown): boolean {
  return readBlocks(message).some(({ type }) => CHANGES.has(type));
}
