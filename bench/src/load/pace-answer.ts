import {
  type AnswerPart,
  createGate,
  type Piece,
  type Random,
  type ScriptedAnswer,
  waitFor,
} from '@winnow/testkit';

/** Calls back after a number of milliseconds. */
export type Pause = (ms: number, callBack: () => void) => void;

/** Delay before a model's first word, and between two bursts of words, in milliseconds. */
const BEFORE_MS = [40, 400] as const;
const BETWEEN_MS = [10, 120] as const;
/** Number of words without a pause. */
const BURST = [4, 16] as const;
/** A body is cut within this many bytes; the rest is sent at the next pause. */
const CUT_WITHIN = 6_000;
const CUTS = 12;

/**
 * Returns the response at the pace and in the chunks of a real model: cuts can be anywhere, even within a
 * character.
 */
export function paceAnswer(answer: ScriptedAnswer, random: Random, pause: Pause): ScriptedAnswer {
  if (answer.kind !== 'message') return answer;
  const cuts = new Set(Array.from({ length: CUTS }, () => random.between(1, CUT_WITHIN)));
  const delivery = random.chance(0.5) ? { delivery: { cut: [...cuts] } } : {};
  const parts = [waitFor(pausingGate(random.between(...BEFORE_MS), pause)), ...answer.parts.map(pacePart)];
  return { ...answer, ...delivery, parts };

  function pacePart(part: AnswerPart): AnswerPart {
    return 'pieces' in part ? { ...part, pieces: pacePieces([...part.pieces]) } : part;
  }

  function pacePieces(pieces: readonly Piece[]): Piece[] {
    const paced: Piece[] = [];
    let burst = random.between(...BURST);
    for (const piece of pieces) {
      paced.push(piece);
      burst -= 1;
      if (burst > 0) continue;
      paced.push(waitFor(pausingGate(random.between(...BETWEEN_MS), pause)));
      burst = random.between(...BURST);
    }
    return paced;
  }
}

/** Creates a gate that opens some time after the first response reaches it. */
function pausingGate(ms: number, pause: Pause): ReturnType<typeof createGate> {
  const gate = createGate();
  return {
    ...gate,
    reach() {
      gate.reach();
      pause(ms, gate.open);
    },
  };
}
