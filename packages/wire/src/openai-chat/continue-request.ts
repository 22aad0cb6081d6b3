import { resultText } from '../result-text.ts';
import type { Round, SearchResult } from '../view.ts';

/** The messages of a round as JSON: the assistant's as it came, then one result for each of its searches. */
export function messagesOfRound(round: Round): string[] {
  return [round.turn.message, ...resultMessages(round)];
}

/** One result for each search of a turn; a history in which a call has no result is rejected. */
export function resultMessages({ turn, results }: Round): string[] {
  return turn.searches.map(({ id }) => {
    const result = results.find(({ callId }) => callId === id) ?? unanswered(id);
    return JSON.stringify({ role: 'tool', tool_call_id: id, content: resultText(result) });
  });
}

function unanswered(callId: string): SearchResult {
  return { callId, kind: 'limit', tools: [] };
}
