import { type JsonObject, objectsOf } from '../upstream/json-object.ts';

/**
 * Returns, in one sentence each, the faults of a history that Ollama accepts but its models cannot follow:
 * results without a preceding call, and calls without a result. Tests must check for them, because the server
 * does not.
 */
export function findOrphanResults(body: JsonObject): string[] {
  const orphans: string[] = [];
  let waiting: string[] = [];
  const goOn = (position: number) => {
    for (const name of waiting) orphans.push(`messages[${position}]: ${name} has no result`);
    waiting = [];
  };
  const messages = objectsOf(body.messages);
  for (const [position, message] of messages.entries()) {
    if (message.role !== 'tool') {
      goOn(position);
      waiting = objectsOf(message.tool_calls).map((call) => String((call.function as JsonObject)?.name));
      continue;
    }
    const at = message.tool_name === undefined ? 0 : waiting.indexOf(String(message.tool_name));
    if (at < 0 || waiting.length === 0) orphans.push(`messages[${position}]: a result without a call`);
    else waiting.splice(at, 1);
  }
  goOn(messages.length);
  return orphans;
}
