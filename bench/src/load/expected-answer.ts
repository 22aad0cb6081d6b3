import { type ConversationTurn, type PastCall, playModel, type RequestContent } from '@winnow/testkit';
import type { Dialogue } from './dialogue.ts';

/** What a client would get if nothing stood between it and the model. */
export interface ExpectedAnswer {
  readonly text: string;
  /** With ids that lack the prefix of the format. */
  readonly calls: readonly PastCall[];
  /** Stands for all that the client has seen; ids and thinking have it in them. */
  readonly mark: string;
}

/** Plays the model for a client that has seen these turns and shows all of its tools. */
export async function expectedAnswer(
  { plan, catalogue }: Dialogue,
  turns: readonly ConversationTurn[],
): Promise<ExpectedAnswer> {
  const answer = await playModel(plan)(
    {
      callable: new Set(catalogue.names),
      deferred: new Set(),
      mayCall: true,
      mayThink: false,
      idPrefixes: { message: '', call: '' },
      turns,
    },
    NO_REQUEST,
  );
  if (answer.kind !== 'message') throw new Error('a model that plays a plan always answers');
  const textOf = (pieces: Iterable<unknown>) => [...pieces].join('');
  return {
    text: answer.parts.map((part) => (part.type === 'text' ? textOf(part.pieces) : '')).join(''),
    calls: answer.parts.flatMap((part) =>
      part.type === 'call' ? [{ id: part.id!, name: part.name, input: JSON.parse(textOf(part.pieces)) }] : [],
    ),
    mark: answer.id!,
  };
}

/** A model that plays a plan looks at the conversation alone. */
const NO_REQUEST: RequestContent = {
  method: 'POST',
  path: '/',
  headers: {},
  rawHeaders: [],
  bytes: Buffer.alloc(0),
  text: '',
  json: undefined,
  route: 'other',
};
