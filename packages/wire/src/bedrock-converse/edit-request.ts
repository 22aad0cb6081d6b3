import { type Edit, elementsOf, memberSpan, type Span, splice, textOf } from '@winnow/core';
import { BlockCalls, type BlockPlaces, writeBlocks } from '../bridge/block-calls.ts';
import { createRequestEditor } from '../bridge/bridge-history.ts';
import type { BridgeDialect } from '../bridge/call-writer.ts';
import { appendDefinitions, type TextStyle, textForms } from '../bridge/found-definitions.ts';
import type { AddedTool } from '../format/capabilities.ts';
import type { Past } from '../format/request-parts.ts';
import type { Plan, RequestView, Round, ToolSection } from '../format/view.ts';
import { countOf, isJsonObject } from '../json/json-value.ts';
import { rememberBy } from '../remember-by.ts';
import {
  appendToHistory,
  type SectionEdit,
  type WrittenText,
  writtenText,
} from '../request/write-request.ts';
import { deferredOf, loadedEntries, writeOwnTools } from '../tools/swap-tools.ts';
import { restoreBlocks, resultsMessage } from '../turns/block-turns.ts';
import { type DeclaredTools, type KeptResult, keepResult } from '../turns/kept-result.ts';
import { readBlocks } from './read-request.ts';
import { dialect, turns } from './turns.ts';

const TEXT: TextStyle = { writeText: (text) => `{"text":${text}}` };

/** Returns the forms in which a request can bring preloaded tools. */
export const preloadForms = textForms(TEXT);

/** Bridge mode in Converse. */
export const bridgeDialect: BridgeDialect = {
  readCalls: () => new BlockCalls(PLACES),
  parametersOf: (definition) => {
    const spec = isJsonObject(definition) ? definition.toolSpec : undefined;
    const schema = isJsonObject(spec) ? spec.inputSchema : undefined;
    return isJsonObject(schema) ? schema.json : undefined;
  },
  writeElement: (text, message, calls) => writeBlocks(text, message, { calls, places: PLACES }),
};

/** Returns the request to send upstream; the client's own bytes when there is no change. */
export const editRequest = createRequestEditor(
  { dialect: bridgeDialect, turns },
  ({ view, plan, past, declared }) => {
    const write = (result: KeptResult) => writeResult(result, declared);
    const isMarked = past.rounds.length > 0 && plan.loadMode !== 'swap' && !past.without?.has('marks');
    const marked = isMarked ? cachePointOfRound(view) : undefined;
    return [
      ...editTools(view, plan),
      ...appendDefinitions(view, plan, bridgeDialect, textStyle(view, past)),
      ...restoreBlocks(view, past, { dialect, turns, writeResult: write }),
      ...(marked?.edits ?? []),
      ...appendToHistory(view, 'messages', messagesOf(past.rounds, { write, point: marked?.point })),
    ];
  },
);

/** Returns the style of preloaded tools: in the first request of a conversation, they end with a cache point. */
function textStyle(view: RequestView, { rounds, without }: Past): TextStyle {
  const isOpening = view.turns.length === 0 && rounds.length === 0 && !without?.has('marks');
  const point = isOpening ? repeatedCachePoint(view) : undefined;
  return point === undefined ? TEXT : { ...TEXT, writeLast: (text) => `${TEXT.writeText(text)},${point}` };
}

interface RoundStyle {
  readonly write: (result: KeptResult) => string;
  /** The cache point at the end, if any. */
  readonly point: string | undefined;
}

/** Returns the assistant's turns unchanged, each followed by the results of its searches. */
function messagesOf(rounds: readonly Round[], { write, point }: RoundStyle): string[] {
  return rounds.flatMap(({ turn, results }, at) => [
    turn.message,
    resultsMessage([
      ...results.map((result) => write(keepResult(result))),
      ...(point !== undefined && at === rounds.length - 1 ? [point] : []),
    ]),
  ]);
}

/**
 * Returns the edits that give a request the tools of a plan. The kept entries stay in the client's order. The
 * plan's own tools follow the last kept tool, so that a cache point after the tools covers them. The tools
 * that swap mode loads come last.
 *
 * A cache point with nothing left to cache is removed: the provider rejects a cache point in first place, and
 * a second one in a row has no effect.
 */
function editTools({ toolSection: section, spans }: RequestView, plan: Plan): SectionEdit[] {
  if (section === undefined || spans.tools === undefined || section.entries.length === 0) return [];
  const own = writeOwnTools(plan, writeTool);
  const written = swapSection(section, plan.defer, plan.loadMode === 'bridge' ? NO_NAMES : plan.load, own);
  return written === undefined ? [] : [{ ...spans.tools, ...written }];
}

const swapSection = rememberBy(
  (
    section: ToolSection,
    defer: readonly string[],
    load: readonly string[],
    own: string | undefined,
  ): WrittenText | undefined => {
    const deferred = deferredOf(section, defer);
    if (deferred.size === 0 && own === undefined) return undefined;
    const kept = section.entries
      .filter((entry) => !deferred.has(entry))
      .map((entry) => ({ text: entry.text, isCachePoint: entry.isCacheMarked }));
    if (own !== undefined) {
      const behind = 1 + kept.findLastIndex((entry) => !entry.isCachePoint);
      kept.splice(behind, 0, { text: own, isCachePoint: false });
    }
    const loaded = loadedEntries(load, deferred).map(({ text }) => text);
    const entries = [...kept.filter((entry, at) => !entry.isCachePoint || isWorth(kept[at - 1])), ...loaded];
    // The provider rejects a list without tools, and a history with calls if there is no list.
    if (entries.length === 0) return undefined;
    const texts = entries.map((entry) => (typeof entry === 'string' ? entry : entry.text));
    return writtenText(splice(section.text, [{ ...section.lists[0]!.span, text: `[${texts.join(',')}]` }]));
  },
);

/** Whether a cache point after this entry caches more than the previous one. */
function isWorth(before: { readonly isCachePoint: boolean } | undefined): boolean {
  return before !== undefined && !before.isCachePoint;
}

/** Writes a tool of the proxy. */
export function writeTool({ name, description, parameters }: AddedTool): string {
  return JSON.stringify({ toolSpec: { name, description, inputSchema: { json: parameters } } });
}

const NO_NAMES: readonly string[] = [];

const PLACES: BlockPlaces = {
  index: 'contentBlockIndex',
  begin: { word: '"toolUse"', place: ['start', 'toolUse'] },
  piece: { word: '"toolUse"', place: ['delta', 'toolUse'], member: 'input' },
  isBlockEnd: (_, name) => name === 'contentBlockStop',
  isEnd: (_, name) => name === 'messageStop' || name === 'metadata',
  content: ['output', 'message', 'content'],
  call: ['toolUse'],
  // Calls that the provider runs itself are not the client's.
  isCall: ({ type }) => type !== 'server_tool_use',
  input: 'input',
};

/** The most cache points in one request. */
const MOST_POINTS = 4;

/** The cache point at the end of a hidden round, and the edits that take it from where it stood. */
export interface RoundPoint {
  readonly point: string;
  readonly edits: readonly Edit[];
}

/**
 * Returns the last cache point of the client's messages, to be repeated at the end of a longer request;
 * undefined when they have none, or when the request has as many as the provider accepts.
 *
 * Source: https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html.
 */
function repeatedCachePoint(view: RequestView): string | undefined {
  const last = hasMost(view) ? undefined : lastPoint(view, () => true);
  return last && textOf(view.text, last.span);
}

/**
 * Returns the cache point for the end of a hidden round: one more like the last one of the client's messages.
 * Of a request that has as many as the provider accepts, the last one moves there: for models that look back
 * from it, as those of Anthropic do for some 20 blocks, what stands before its former place is still read.
 */
function cachePointOfRound(view: RequestView): RoundPoint | undefined {
  const point = repeatedCachePoint(view);
  if (point !== undefined) return { point, edits: [] };
  if (view.model === undefined || !LOOKS_BACK.test(view.model)) return undefined;
  const last = lastPoint(view, isOfUser);
  // The provider refuses content that begins with a cache point, and so it does an empty one.
  if (last?.before === undefined) return undefined;
  return {
    point: textOf(view.text, last.span),
    edits: [{ start: last.before.end, end: last.span.end, text: '' }],
  };
}

const LOOKS_BACK = /\bclaude\b/;

function hasMost({ text, tools, toolBytes }: RequestView): boolean {
  const inTools = toolBytes === undefined ? 0 : tools.filter(({ isCacheMarked }) => isCacheMarked).length;
  return countOf(text, '"cachePoint"') + inTools >= MOST_POINTS;
}

interface Point {
  readonly span: Span;
  /** The block before it. */
  readonly before: Span | undefined;
}

function lastPoint(
  { history, text, spans }: RequestView,
  isMeant: (message: unknown) => boolean,
): Point | undefined {
  const at = history.findLastIndex((message) => isMeant(message) && readBlocks(message).some(isPoint));
  const content = at < 0 ? undefined : memberSpan(text, spans.history[at]!.start, 'content');
  const blocks = content === undefined ? [] : elementsOf(text, content.start);
  const place = blocks.findLastIndex((span) => isPoint(JSON.parse(textOf(text, span))));
  return place < 0 ? undefined : { span: blocks[place]!, before: blocks[place - 1] };
}

/** Turns of the model are restored with the points that stand in them. */
function isOfUser(message: unknown): boolean {
  return isJsonObject(message) && message.role === 'user';
}

function isPoint(block: unknown): boolean {
  return isJsonObject(block) && isJsonObject(block.cachePoint);
}

/** Returns one result as the JSON of a block. It has no `status`, which only some models support. */
function writeResult(result: KeptResult, declared: DeclaredTools): string {
  const content = [{ text: declared.textOf(result) }];
  return JSON.stringify({ toolResult: { toolUseId: result.callId, content } });
}
