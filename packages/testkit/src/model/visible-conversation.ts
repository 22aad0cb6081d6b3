import type { Conversation, ConversationTurn, PastCall } from './conversation.ts';

/** The conversation without its searches, as the client sees it. */
export interface VisibleConversation {
  /**
   * Turns, the same with and without hidden searches. No two adjacent turns are both the user's or both
   * results.
   */
  readonly turns: readonly ConversationTurn[];
  /** Number of responses with only searches since the last visible turn. */
  readonly hiddenRounds: number;
}

/**
 * Removes the searches from a conversation.
 *
 * Turns left with neither text nor calls are removed, and so are messages that carry only search results.
 */
export function readVisible({ turns }: Conversation, searchToolName: string): VisibleConversation {
  const searchIds = new Set(turns.flatMap((turn) => searchesIn(turn, searchToolName).map(({ id }) => id)));
  const visible: ConversationTurn[] = [];
  let hiddenRounds = 0;
  for (const turn of turns) {
    const left = withoutSearches(turn, searchIds);
    if (left !== undefined) {
      append(visible, left);
      hiddenRounds = 0;
    } else if (turn.role === 'assistant') hiddenRounds += 1;
  }
  return { turns: visible, hiddenRounds };
}

function searchesIn(turn: ConversationTurn, searchToolName: string): PastCall[] {
  return turn.role === 'assistant' ? turn.calls.filter(({ name }) => name === searchToolName) : [];
}

function withoutSearches(
  turn: ConversationTurn,
  searchIds: ReadonlySet<string>,
): ConversationTurn | undefined {
  switch (turn.role) {
    case 'user':
      return turn;
    case 'results': {
      const results = turn.results.filter(({ callId }) => !searchIds.has(callId));
      return results.length > 0 ? { role: 'results', results } : undefined;
    }
    case 'assistant': {
      const calls = turn.calls.filter(({ id }) => !searchIds.has(id));
      // Text before a search belongs to the hidden round and to no step of its own.
      return calls.length > 0 || turn.calls.length === 0 ? { ...turn, calls } : undefined;
    }
  }
}

/**
 * Merges adjacent messages: formats and clients differ in how many messages carry the results of one step or
 * one input of the user.
 */
function append(turns: ConversationTurn[], turn: ConversationTurn): void {
  const last = turns.at(-1);
  if (last?.role === 'results' && turn.role === 'results') {
    turns[turns.length - 1] = { role: 'results', results: [...last.results, ...turn.results] };
  } else if (last?.role === 'user' && turn.role === 'user') {
    turns[turns.length - 1] = { role: 'user', text: last.text + turn.text };
  } else turns.push(turn);
}
