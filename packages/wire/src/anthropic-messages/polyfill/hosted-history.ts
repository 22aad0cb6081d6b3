import type { SearchCall } from '../../format/view.ts';
import { isJsonObject, type JsonObject } from '../../json/json-splice.ts';
import { isToolUse, readBlocks } from '../read-blocks.ts';
import { isHostedCall, readCall } from './hosted-tools.ts';
import { namesIn, RESULT_TYPE } from './search-blocks.ts';

/** Returns the results of hosted searches in a history, by the ids of their calls. */
export function resultsIn(history: readonly unknown[]): Map<string, JsonObject> {
  const results = history.flatMap(readBlocks).filter(({ type }) => type === RESULT_TYPE);
  return new Map(results.map((block) => [String(block.tool_use_id), block]));
}

/**
 * Returns the names that a history shows, in order of first appearance: those that results refer to, and
 * those called. A tool may be called without a reference, because a model that reached the search limit sees
 * all tools.
 */
export function shownNames(history: readonly unknown[]): Set<string> {
  const names = new Set<string>();
  for (const block of history.flatMap(readBlocks)) {
    if (isToolUse(block)) names.add(block.name);
    for (const name of [...namesIn(block), ...referencesIn(block)]) names.add(name);
  }
  return names;
}

function referencesIn({ type, content }: JsonObject): string[] {
  if (type !== 'tool_result') return [];
  return readBlocks({ content }).flatMap((part) =>
    part.type === 'tool_reference' ? [String(part.tool_name)] : [],
  );
}

/** Returns the calls of hosted searches in the last assistant turn that have no result yet. */
export function openCalls(history: readonly unknown[]): SearchCall[] {
  const last = history.findLast((message) => isJsonObject(message) && message.role === 'assistant');
  const answered = resultsIn(history);
  return readBlocks(last).flatMap((block) =>
    isHostedCall(block) && !answered.has(String(block.id)) ? [readCall(block)] : [],
  );
}
