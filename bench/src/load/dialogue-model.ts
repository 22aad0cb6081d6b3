import { createRandom, type Model, playModel } from '@winnow/testkit';
import type { Catalogue } from './catalogues.ts';
import { dialogueNumber, makeDialogue } from './dialogue.ts';
import { type Pause, paceAnswer } from './pace-answer.ts';

/** Input for the model. */
export interface DialogueModelOptions {
  readonly seed: number;
  readonly catalogues: readonly Catalogue[];
  /** Waits for a number of milliseconds. */
  readonly pause: Pause;
}

/**
 * A model that plays the dialogues of a seed, at the pace and in the chunks of a real one. It recognizes a
 * dialogue by its first message.
 */
export function dialogueModel({ seed, catalogues, pause }: DialogueModelOptions): Model {
  let answers = 0;
  return async (conversation, request) => {
    const said = conversation.turns.find(({ role }) => role === 'user');
    const number = dialogueNumber(said?.role === 'user' ? said.text : '');
    const answer = await playModel(makeDialogue(seed, number, catalogues).plan)(conversation, request);
    answers += 1;
    return paceAnswer(answer, createRandom(seed + answers), pause);
  };
}
