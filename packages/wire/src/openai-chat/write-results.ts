import { type DeclaredTools, type KeptResult, keepResults, keptText } from '../kept-result.ts';
import type { Round } from '../view.ts';

/** The messages of a round as JSON: the assistant's as it came, then one result for each of its searches. */
export function messagesOfRound(round: Round, declared: DeclaredTools): string[] {
  return [round.turn.message, ...resultMessages(keepResults(round), declared)];
}

/** The messages that answer searches. */
export function resultMessages(results: readonly KeptResult[], declared: DeclaredTools): string[] {
  return results.map((result) =>
    JSON.stringify({ role: 'tool', tool_call_id: result.callId, content: keptText(result, declared) }),
  );
}
