import type { Round } from '../format/view.ts';
import { elementsOf, type JsonObject, memberSpan, splice, textOf } from '../json/json-splice.ts';

/**
 * The message of a round whose model speaks in blocks, without its searches that have no result, such as one that nobody could answer any more: no
 * history may hold them.
 *
 * `callIdOf` gives the id of a block that is a call, and undefined for any other.
 */
export function withoutUnanswered(
  { turn, results }: Round,
  callIdOf: (block: JsonObject) => string | undefined,
): string {
  const { message, searches } = turn;
  const answered = new Set(results.map(({ callId }) => callId));
  const unanswered = new Set(searches.flatMap(({ id }) => (answered.has(id) ? [] : [id])));
  if (unanswered.size === 0) return message;
  const content = memberSpan(message, 0, 'content')!;
  const kept = elementsOf(message, content.start)
    .map((span) => textOf(message, span))
    .filter((block) => !unanswered.has(callIdOf(JSON.parse(block) as JsonObject) ?? ''));
  return splice(message, [{ ...content, text: `[${kept.join(',')}]` }]);
}
