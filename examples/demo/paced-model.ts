import { type AnswerPart, createGate, type Model, type Piece, playModel, waitFor } from '@winnow/testkit';
import { CONVERSATION } from './conversation.ts';

/** Delay between two words, in milliseconds: slow enough to watch them arrive. */
const PACE_MS = 30;

/** A model that follows the conversation's plan and streams its text word by word. */
export function pacedModel(): Model {
  const model = playModel(CONVERSATION);
  return async (conversation, request) => {
    const answer = await model(conversation, request);
    return answer.kind === 'message' ? { ...answer, parts: answer.parts.map(paced) } : answer;
  };
}

function paced(part: AnswerPart): AnswerPart {
  return part.type === 'text' ? { ...part, pieces: withPauses(part.pieces) } : part;
}

function withPauses(pieces: Iterable<Piece>): Iterable<Piece> {
  return {
    *[Symbol.iterator]() {
      for (const piece of pieces) {
        const gate = createGate();
        setTimeout(() => gate.open(), PACE_MS);
        yield waitFor(gate);
        yield piece;
      }
    },
  };
}
