import type { Round } from '../format/view.ts';
import type { JsonObject } from '../json/json-splice.ts';
import { type DeclaredTools, type KeptResult, keepResults } from '../turns/kept-result.ts';
import { callNames, isMadeUpId } from './call-id.ts';

/**
 * Returns the messages of a round as JSON: the original assistant message, then one result for each of its
 * searches.
 */
export function messagesOfRound(round: Round, declared: DeclaredTools): string[] {
  const { message } = round.turn;
  return [message, ...resultMessages(keepResults(round), message, declared)];
}

/**
 * Returns the messages that answer searches of this message. A result names its tool, and its call if that
 * has an id.
 */
export function resultMessages(
  results: readonly KeptResult[],
  message: string,
  declared: DeclaredTools,
): string[] {
  const names = callNames(JSON.parse(message) as JsonObject);
  return results.map((result) =>
    JSON.stringify({
      role: 'tool',
      tool_name: names.get(result.callId),
      ...(!isMadeUpId(result.callId) && { tool_call_id: result.callId }),
      content: declared.textOf(result),
    }),
  );
}
