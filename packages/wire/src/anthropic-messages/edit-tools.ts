import {
  type Edit,
  elementsOf,
  memberSpan,
  preloadLine,
  removeMembers,
  type Span,
  setMember,
  splice,
  textOf,
  valueSpan,
} from '@winnow/core';
import { BlockCalls, type BlockPlaces, writeBlocks } from '../bridge/block-calls.ts';
import type { BridgeDialect } from '../bridge/call-writer.ts';
import { appendDefinitions, type TextStyle, textForms } from '../bridge/found-definitions.ts';
import type { AddedTool } from '../format/capabilities.ts';
import type { LoadMode, Plan, PreloadForm, RequestView, ToolEntry, ToolSection } from '../format/view.ts';
import { countOf, isJsonObject } from '../json/json-value.ts';
import { rememberBy } from '../remember-by.ts';
import { type SectionEdit, type WrittenText, writtenText } from '../request/write-request.ts';
import { deferredOf, loadedEntries, writeOwnTools } from '../tools/swap-tools.ts';
import { resultsMessage } from '../turns/block-turns.ts';
import {
  appendParts,
  contentOf,
  endOfOpening,
  firstMessage,
  insertBehind,
  preloadedSearch,
} from '../turns/preload.ts';
import { readBlocks } from './read-request.ts';
import { hasBudget, type ResultStyle, writeResult } from './turns.ts';

const CACHE_MARK = 'cache_control';
const CACHE_MARK_KEYS: ReadonlySet<string> = new Set([CACHE_MARK]);

/**
 * Returns the edits that give a request the tools of a plan.
 *
 * The cache mark of a deferred tool moves to the last entry that is not deferred, and stays there while tools
 * are loaded, so that the marked prefix is the same in every round. In native mode, the entries never depend
 * on the tools found or called.
 */
export function editTools({ toolSection: section, spans }: RequestView, plan: Plan): SectionEdit[] {
  if (section === undefined || spans.tools === undefined || section.entries.length === 0) return [];
  const own = writeOwnTools(plan, writeTool) ?? '';
  const load = plan.loadMode === 'swap' ? plan.load : NO_NAMES;
  const written =
    plan.loadMode === 'native'
      ? markSection(section, plan.defer, own)
      : swapSection(section, plan.defer, load, own);
  return written === undefined ? [] : [{ ...spans.tools, ...written }];
}

const swapSection = rememberBy(
  (
    section: ToolSection,
    defer: readonly string[],
    load: readonly string[],
    own: string,
  ): WrittenText | undefined => {
    const deferred = deferredOf(section, defer);
    if (deferred.size === 0 && own === '') return undefined;
    const text = swap(section, deferred, load, own);
    return text === undefined ? undefined : writtenText(text);
  },
);

const markSection = rememberBy(
  (section: ToolSection, defer: readonly string[], own: string): WrittenText | undefined => {
    const deferred = deferredOf(section, defer);
    if (deferred.size === 0 && own === '') return undefined;
    const edits = marksFor(section, deferred, own);
    return edits.length === 0 ? undefined : writtenText(splice(section.text, edits));
  },
);

function swap(
  section: ToolSection,
  deferred: ReadonlySet<ToolEntry>,
  load: readonly string[],
  own: string,
): string | undefined {
  const kept = section.entries.filter((entry) => !deferred.has(entry)).map((entry) => entry.text);
  const front = own === '' ? kept : [...kept, own];
  const mark = movedMark(section, deferred);
  const marked = front.map((entry, index) => (index === front.length - 1 ? addMark(entry, mark) : entry));
  const loaded = loadedEntries(load, deferred).map((entry) => removeMark(entry.text));
  const entries = [...marked, ...loaded];
  // The API rejects an empty list.
  return entries.length === 0 ? undefined : `[${entries.join(',')}]`;
}

function marksFor(section: ToolSection, deferred: ReadonlySet<ToolEntry>, own: string): Edit[] {
  // The API rejects a request that defers every tool.
  if (own === '' && deferred.size === section.entries.length) return [];
  const mark = movedMark(section, deferred);
  const edits = [...deferred].map((entry) => deferLoading(section.text, entry));
  if (own !== '') {
    const entry = addMark(own, mark);
    const { end } = section.entries.at(-1)!.span;
    return [...edits, { start: end, end, text: `,${entry}` }];
  }
  if (mark === undefined) return edits;
  const lastKept = section.entries.findLast((entry) => !deferred.has(entry))!;
  return [...edits, { ...lastKept.span, text: addMark(lastKept.text, mark) }];
}

/** Writes a tool of the proxy. */
export const writeTool = rememberBy(({ name, description, parameters }: AddedTool): string =>
  JSON.stringify({ name, description, input_schema: parameters }),
);

const NO_NAMES: readonly string[] = [];

/**
 * Marks an entry as deferred. Most entries have neither member, so only the others are parsed member by
 * member: a catalogue may be long.
 */
function deferLoading(section: string, { text, span, definition, isCacheMarked }: ToolEntry): Edit {
  const hasMember = isJsonObject(definition) && 'defer_loading' in definition;
  if (!hasMember && !isCacheMarked) return appendMember(section, span, '"defer_loading":true');
  const unmarked = removeMark(text);
  return {
    ...span,
    text: splice(unmarked, [setMember(unmarked, valueSpan(unmarked), 'defer_loading', 'true')]),
  };
}

/** Returns the edit that appends a member to an object that is not empty. */
function appendMember(text: string, { end }: Span, member: string): Edit {
  let position = end - 1;
  while (/\s/.test(text.charAt(position - 1))) position -= 1;
  return { start: position, end: position, text: `,${member}` };
}

/**
 * Returns the cache mark that the deferred entries lose, as JSON: the last of several. Undefined when the
 * mark must not or need not move.
 */
function movedMark({ entries }: ToolSection, deferred: ReadonlySet<ToolEntry>): string | undefined {
  const marked = [...deferred].findLast(({ isCacheMarked }) => isCacheMarked);
  if (marked === undefined) return undefined;
  const kept = entries.filter((entry) => entry.isCacheMarked && !deferred.has(entry));
  // The API rejects a long-lived mark after a short-lived one.
  if (isLongLived(marked) && !kept.every(isLongLived)) return undefined;
  return textOf(marked.text, memberSpan(marked.text, 0, CACHE_MARK)!);
}

function isLongLived({ definition }: ToolEntry): boolean {
  const mark = isJsonObject(definition) ? definition[CACHE_MARK] : undefined;
  return isJsonObject(mark) && mark.ttl === '1h';
}

/** Returns the entry with a mark, unless it already has one or is not an object. */
function addMark(entry: string, mark: string | undefined): string {
  if (mark === undefined || !entry.startsWith('{')) return entry;
  const span = valueSpan(entry);
  const present = memberSpan(entry, span.start, CACHE_MARK);
  if (present !== undefined && textOf(entry, present) !== 'null') return entry;
  return splice(entry, [setMember(entry, span, CACHE_MARK, mark)]);
}

/** Returns the entry without its mark, otherwise in its own bytes; a null mark stays. */
function removeMark(entry: string): string {
  const mark = memberSpan(entry, 0, CACHE_MARK);
  if (mark === undefined || textOf(entry, mark) === 'null') return entry;
  return splice(entry, removeMembers(entry, valueSpan(entry), CACHE_MARK_KEYS));
}

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
  const { names, form, groups } = plan.preload;
  switch (form) {
    case 'change':
      for (const name of names) style.referred?.add(name);
      return change(view, end, { names, mark: style.mark });
    case 'search':
      return [insertBehind(view, end, searchFor(names, searchTool.name, style))];
    case 'names':
      return nameIn(view, preloadLine(names, searchTool.name, groups));
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
  const { id, queries, result } = preloadedSearch(names, 'toolu_');
  const call = { type: 'tool_use', id, name: searchToolName, input: { queries } };
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

/** The last cache mark of the client's messages, and the edits that remove it there. */
export interface TakenMark {
  /** The mark as the client wrote it. */
  readonly mark: string;
  readonly edits: readonly Edit[];
}

/**
 * Takes the last cache mark from the client's messages, so that it can end a longer request; undefined when
 * they have none. Marks in turns of the model stay, because restored turns carry them.
 *
 * Where it stood, the prompt is still read from the cache: the provider looks back from a mark for some 20
 * blocks. Source: https://platform.claude.com/docs/en/build-with-claude/prompt-caching.
 */
export function takeMark({ history, text, spans }: RequestView): TakenMark | undefined {
  const at = history.findLastIndex((message) => isOfUser(message) && readBlocks(message).some(hasMark));
  if (at < 0) return undefined;
  const content = memberSpan(text, spans.history[at]!.start, 'content')!;
  const blocks = elementsOf(text, content.start);
  const block = blocks.findLast((span) => hasMark(JSON.parse(textOf(text, span))));
  const mark = block && memberSpan(text, block.start, 'cache_control');
  if (mark === undefined) return undefined;
  return { mark: textOf(text, mark), edits: removeMembers(text, block!, ['cache_control']) };
}

/** The most marks in one request. */
const MOST_MARKS = 4;

/**
 * Returns the mark for the end of preloaded tools, which follow the client's last mark in the first request of
 * a conversation: without one, they would be paid as plain input now, and as a write with the next request.
 * Undefined when the client marks no message, or as many blocks as the provider accepts.
 */
export function markOfOpening(view: RequestView): string | undefined {
  if (view.turns.length > 0) return undefined;
  const { text, tools, toolBytes } = view;
  const inTools = toolBytes === undefined ? 0 : tools.filter(({ isCacheMarked }) => isCacheMarked).length;
  if (countOf(text, '"cache_control"') + inTools >= MOST_MARKS) return undefined;
  return takeMark(view)?.mark;
}

/** Returns a block, as JSON, with a mark; the same block without one. */
export function withMark(block: string, mark: string | undefined): string {
  return mark === undefined ? block : `${block.slice(0, -1)},"cache_control":${mark}}`;
}

function isOfUser(message: unknown): boolean {
  return isJsonObject(message) && message.role === 'user';
}

function hasMark(block: unknown): boolean {
  return isJsonObject(block) && isJsonObject(block.cache_control);
}

const PLACES: BlockPlaces = {
  index: 'index',
  begin: { word: '"tool_use"', place: ['content_block'] },
  piece: { word: 'input_json_delta', place: ['delta'], member: 'partial_json' },
  isBlockEnd: ({ type }) => type === 'content_block_stop',
  isEnd: ({ type }) => type === 'message_delta' || type === 'message_stop' || type === 'error',
  content: ['content'],
  call: [],
  isCall: ({ type }) => type === 'tool_use',
  input: 'input',
};

/** Bridge mode in Messages. */
export const bridgeDialect: BridgeDialect = {
  readCalls: () => new BlockCalls(PLACES),
  parametersOf: (definition) => (isJsonObject(definition) ? definition.input_schema : undefined),
  writeElement: (text, message, calls) => writeBlocks(text, message, { calls, places: PLACES }),
};
