import { preloadLine } from '@winnow/core';
import { appendDefinitions, type TextStyle, textForms } from '../bridge/preloaded-text.ts';
import type { LoadMode, Plan, PreloadForm, RequestView } from '../format/view.ts';
import { type Edit, isJsonObject } from '../json/json-splice.ts';
import { appendParts, contentOf, endOfOpening, firstMessage, insertBehind } from '../turns/first-message.ts';
import { preloadedSearch } from '../turns/preloaded-search.ts';
import { resultsMessage } from '../turns/restore-blocks.ts';
import { bridgeDialect } from './bridge-dialect.ts';
import { withMark } from './take-mark.ts';
import { hasBudget } from './turns.ts';
import { type ResultStyle, writeResult } from './write-results.ts';

/**
 * Returns the forms in which a request can bring preloaded tools. With a budget for thinking, the provider
 * refuses a turn without thinking, so that the model cannot seem to have searched.
 *
 * Source: https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking.
 */
export function preloadForms(view: RequestView, loadMode: LoadMode): readonly PreloadForm[] {
  if (loadMode !== 'native') return textForms(TEXT)(view, loadMode);
  const at = firstMessage(view);
  if (at === undefined) return [];
  return [
    ...(changesTools(view.model) ? (['change'] as const) : []),
    ...(hasBudget(view) ? [] : (['search'] as const)),
    ...(contentOf(view, at) ? (['names'] as const) : []),
  ];
}

const TEXT: TextStyle = { writeText };

/** The style of preloaded tools. */
interface PreloadStyle extends ResultStyle {
  /** The cache mark at their end, if any. */
  readonly mark: string | undefined;
}

/** Returns the edits that bring the tools that a plan preloads. */
export function preloadTools(view: RequestView, plan: Plan, style: PreloadStyle): Edit[] {
  const { searchTool } = plan;
  const end = endOfOpening(view);
  if (plan.loadMode === 'swap' || !plan.preload || !searchTool || end === undefined) return [];
  const { names, form } = plan.preload;
  switch (form) {
    case 'change':
      for (const name of names) style.referred?.add(name);
      return change(view, end, { names, mark: style.mark });
    case 'search':
      return [insertBehind(view, end, searchFor(names, searchTool.name, style))];
    case 'names':
      return nameIn(view, preloadLine(names, searchTool.name));
    case 'text':
      return appendDefinitions(view, plan, bridgeDialect, {
        ...TEXT,
        writeLast: (text) => withMark(writeText(text), style.mark),
      });
    default:
      return form satisfies never;
  }
}

/**
 * Returns the edit that adds tools by a system message. Such a message must stand before a turn of the model
 * or at the end, so a system message of the client that stands there takes the additions.
 */
function change(
  view: RequestView,
  end: number,
  { names, mark }: { readonly names: readonly string[]; readonly mark: string | undefined },
): Edit[] {
  const parts = names.map((name, at) =>
    withMark(
      JSON.stringify({ type: 'tool_addition', tool: { type: 'tool_reference', name } }),
      at === names.length - 1 ? mark : undefined,
    ),
  );
  const last = view.history[end];
  const own = isJsonObject(last) && last.role === 'system' ? contentOf(view, end) : undefined;
  if (own !== undefined) return [appendParts(view, own, parts, writeText)];
  return [insertBehind(view, end, [`{"role":"system","content":[${parts.join(',')}]}`])];
}

function searchFor(names: readonly string[], searchToolName: string, style: PreloadStyle): string[] {
  const { id, query, result } = preloadedSearch(names, 'toolu_');
  const call = { type: 'tool_use', id, name: searchToolName, input: { query } };
  return [
    JSON.stringify({ role: 'assistant', content: [call] }),
    resultsMessage([withMark(writeResult(result, style), style.mark)]),
  ];
}

function nameIn(view: RequestView, line: string): Edit[] {
  const place = contentOf(view, firstMessage(view)!);
  return place ? [appendParts(view, place, [writeText(JSON.stringify(line))], writeText)] : [];
}

function writeText(text: string): string {
  return `{"type":"text","text":${text}}`;
}

/**
 * Names of the models whose tools a system message in the middle of a conversation can change.
 *
 * Sources: https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages, the model
 * profiles of langchain-ai/langchainjs (@langchain/anthropic 1.5.13; Sonnet 5 takes system messages only), and
 * live tests in earendil-works/pi#9548.
 */
const CHANGING_MODELS: readonly RegExp[] = [
  // A date may follow the generation (`claude-opus-5-20260101`), so a minor number has at most two digits.
  /claude-opus-4[-.](?:[89]|[1-9]\d)(?!\d)/,
  /claude-opus-(?:[5-9]|[1-9]\d)(?!\d)/,
  /claude-(?:sonnet|haiku)-5[-.](?:[5-9]|[1-9]\d)(?!\d)/,
  /claude-(?:sonnet|haiku)-(?:[6-9]|[1-9]\d)(?!\d)/,
  /claude-(?:fable|mythos)-(?:[5-9]|[1-9]\d)(?!\d)/,
];

/** Whether a model of this name accepts a change of its tools within a conversation. */
function changesTools(model: string | undefined): boolean {
  return model !== undefined && CHANGING_MODELS.some((pattern) => pattern.test(model));
}
