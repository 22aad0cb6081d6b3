import type { Conversation, ConversationTurn, PastCall } from './conversation.ts';

/** The conversation without its searches: what the client has seen. */
export interface VisibleConversation {
  /** The same whether searches were hidden in between or not. No two turns of a user, or of results, stand side by side. */
  readonly turns: readonly ConversationTurn[];
  /** Answers with nothing but searches since the last visible turn. */
  readonly hiddenRounds: number;
}

/**
 * Takes the searches out of a conversation.
 *
 * A turn that is left with neither text nor calls goes, and so does a message with results of searches alone.
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
      // A text in front of a search is part of the hidden round: it leads to no step of its own.
      return calls.length > 0 || turn.calls.length === 0 ? { ...turn, calls } : undefined;
    }
  }
}

/** Formats and clients differ in how many messages carry the results of one step or the words of one user; here they are one turn. */
function append(turns: ConversationTurn[], turn: ConversationTurn): void {
  const last = turns.at(-1);
  if (last?.role === 'results' && turn.role === 'results') {
    turns[turns.length - 1] = { role: 'results', results: [...last.results, ...turn.results] };
  } else if (last?.role === 'user' && turn.role === 'user') {
    turns[turns.length - 1] = { role: 'user', text: last.text + turn.text };
  } else turns.push(turn);
}
