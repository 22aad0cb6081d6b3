import { type ConversationTurn, type PastCall, playModel, type RequestContent } from '@winnow/testkit';
import type { Dialogue } from './dialogue.ts';

/** The response that a client would get directly from the model. */
export interface ExpectedAnswer {
  readonly text: string;
  /** The response with ids that lack the format's prefix. */
  readonly calls: readonly PastCall[];
  /** A digest of everything that the client has seen; ids and thinking contain it. */
  readonly mark: string;
}

/** Plays the model for a client that has seen these turns, with all tools visible. */
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

/** A model that plays a plan reads only the conversation. */
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
