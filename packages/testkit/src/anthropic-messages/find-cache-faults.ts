import { isJsonObject, type JsonObject, objectsOf } from '../upstream/json-object.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';

const MOST_MARKS = 4;

/** Finds faults of cache marks: too many, malformed, or a long-lived one after a short-lived one. */
export function* findCacheFaults(body: JsonObject): Generator<Rejection> {
  const marks = [...marksIn(body.tools), ...marksIn(body.system), ...marksInMessages(body.messages)];
  // A mark on the request itself lets the provider choose the place; it counts as one of the four.
  const count = marks.length + (isJsonObject(body.cache_control) ? 1 : 0);
  if (count > MOST_MARKS) {
    yield badRequest(`A maximum of ${MOST_MARKS} blocks with cache_control may be provided. Found ${count}.`);
  }
  let hasShort = false;
  for (const { type, ttl = '5m' } of marks) {
    if (type !== 'ephemeral') yield badRequest("cache_control.type: Input should be 'ephemeral'");
    if (ttl !== '5m' && ttl !== '1h') yield badRequest("cache_control.ttl: Input should be '5m' or '1h'");
    if (ttl === '1h' && hasShort) {
      yield badRequest("a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block");
    }
    hasShort ||= ttl === '5m';
  }
}

function marksInMessages(messages: unknown): JsonObject[] {
  return objectsOf(messages).flatMap(({ content }) => marksIn(content));
}

/** Marks in the order in which the prompt is rendered: marks inside a result precede its own. */
function marksIn(blocks: unknown): JsonObject[] {
  return objectsOf(blocks).flatMap((block) => [
    ...marksIn(block.content),
    ...(isJsonObject(block.cache_control) ? [block.cache_control] : []),
  ]);
}
