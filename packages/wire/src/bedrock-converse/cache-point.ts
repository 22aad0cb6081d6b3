import type { RequestView } from '../format/view.ts';
import { countOf } from '../json/count-of.ts';
import { elementsOf, isJsonObject, memberSpan, textOf } from '../json/json-splice.ts';
import { readBlocks } from './read-blocks.ts';

/** The most cache points in one request. */
const MOST_POINTS = 4;

/**
 * Returns the last cache point of the client's messages, to be repeated at the end of a longer request;
 * undefined when they have none, or when the request has as many as the provider accepts.
 *
 * Source: https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html.
 */
export function repeatedCachePoint({
  history,
  text,
  tools,
  toolBytes,
  spans,
}: RequestView): string | undefined {
  const inTools = toolBytes === undefined ? 0 : tools.filter(({ isCacheMarked }) => isCacheMarked).length;
  if (countOf(text, '"cachePoint"') + inTools >= MOST_POINTS) return undefined;
  const at = history.findLastIndex((message) => readBlocks(message).some(isPoint));
  const content = at < 0 ? undefined : memberSpan(text, spans.history[at]!.start, 'content');
  const blocks = content === undefined ? [] : elementsOf(text, content.start);
  const point = blocks.findLast((span) => isPoint(JSON.parse(textOf(text, span))));
  return point && textOf(text, point);
}

function isPoint(block: unknown): boolean {
  return isJsonObject(block) && isJsonObject(block.cachePoint);
}
