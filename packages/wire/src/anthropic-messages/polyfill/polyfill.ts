import { type Edit, isJsonObject, removeMembers, splice, valueSpan } from '../../json-splice.ts';
import type { Polyfilled } from '../../polyfilled.ts';
import type { RequestView, ToolEntry } from '../../view.ts';
import { type SectionEdit, writeRequest, writtenText } from '../../write-request.ts';
import { readBlocks } from '../read-blocks.ts';
import { flattenReferences } from './flat-references.ts';

/**
 * Betas of deferral. The first one stands for other tool features as well, which need no beta by now.
 * Source: https://docs.claude.com/en/docs/agents-and-tools/tool-use/tool-search-tool
 */
const BETAS = ['advanced-tool-use-2025-11-20', 'tool-search-tool-2025-10-19'];

const DEFERRAL: ReadonlySet<string> = new Set(['defer_loading']);
const DEFERRAL_AND_MARK: ReadonlySet<string> = new Set(['defer_loading', 'cache_control']);

/**
 * The request of a client that searches for tools itself, for a server that knows neither `defer_loading` nor `tool_reference`; undefined for a
 * request with nothing of the kind, and for one whose searches the provider is to run or whose conversation changes tools otherwise.
 *
 * Deferred tools that no result refers to are left out; the others stand behind all that is not deferred, in order of first reference, so that
 * the prompt of a longer history begins as that of a shorter one. The response needs no rewriting: a client's search is a function of its own.
 */
export function polyfill(view: RequestView): Polyfilled | undefined {
  const { tools, history, toolChoice } = view;
  if (tools.some(isHostedSearch) || history.some(changesTools)) return undefined;
  const { edits, names } = flattenReferences(view);
  if (edits.length === 0 && !tools.some(isMarked)) return undefined;
  return {
    body: writeRequest(view, [
      ...toolsEdit(view, new Set([...names, ...toolChoice.names])),
      ...edits,
      ...betasEdit(view),
    ]),
    removedHeaders: BETAS.map((value) => ({ name: 'anthropic-beta', value })),
  };
}

function toolsEdit({ tools, spans }: RequestView, shown: ReadonlySet<string>): SectionEdit[] {
  if (spans.tools === undefined || !tools.some(isMarked)) return [];
  const plain = tools.filter((entry) => !isDeferred(entry)).map((entry) => without(entry, DEFERRAL));
  const deferred = tools.filter(isDeferred);
  const loaded = [...shown]
    .flatMap((name) => deferred.find((entry) => entry.name === name) ?? [])
    .map((entry) => without(entry, DEFERRAL_AND_MARK));
  const all = [...plain, ...loaded];
  // An empty list is rejected.
  const entries = all.length > 0 ? all : deferred.map((entry) => without(entry, DEFERRAL));
  return [{ ...spans.tools, ...writtenText(`[${entries.join(',')}]`) }];
}

function without({ text, definition }: ToolEntry, keys: ReadonlySet<string>): string {
  const isThere = isJsonObject(definition) && [...keys].some((key) => key in definition);
  return isThere ? splice(text, removeMembers(text, valueSpan(text), keys)) : text;
}

/** On Bedrock, betas stand in the body. */
function betasEdit({ body, spans }: RequestView): Edit[] {
  const span = spans.members.get('anthropic_beta');
  const betas: unknown = body.anthropic_beta;
  if (span === undefined || !Array.isArray(betas)) return [];
  const kept = betas.filter((beta) => !BETAS.includes(beta));
  return kept.length === betas.length ? [] : [{ ...span, text: JSON.stringify(kept) }];
}

function isMarked({ definition }: ToolEntry): boolean {
  return isJsonObject(definition) && 'defer_loading' in definition;
}

function isDeferred({ definition }: ToolEntry): boolean {
  return isJsonObject(definition) && definition.defer_loading === true;
}

function isHostedSearch({ definition }: ToolEntry): boolean {
  return isJsonObject(definition) && String(definition.type).startsWith('tool_search_tool');
}

const CHANGES: ReadonlySet<unknown> = new Set(['tool_addition', 'tool_removal', 'tool_search_tool_result']);

function changesTools(message: unknown): boolean {
  return readBlocks(message).some(({ type }) => CHANGES.has(type));
}
