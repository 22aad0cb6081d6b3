import type { RequestView } from '../format/view.ts';
import { countOf } from '../json/count-of.ts';
import { type Edit, elementsOf, isJsonObject, memberSpan, type Span, textOf } from '../json/json-splice.ts';
import { readBlocks } from './read-blocks.ts';

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
export function repeatedCachePoint(view: RequestView): string | undefined {
  const last = hasMost(view) ? undefined : lastPoint(view, () => true);
  return last && textOf(view.text, last.span);
}

/**
 * Returns the cache point for the end of a hidden round: one more like the last one of the client's messages.
 * Of a request that has as many as the provider accepts, the last one moves there: for models that look back
 * from it, as those of Anthropic do for some 20 blocks, what stands before its former place is still read.
 */
export function cachePointOfRound(view: RequestView): RoundPoint | undefined {
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
