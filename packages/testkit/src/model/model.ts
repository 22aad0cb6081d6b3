import type { RequestContent } from '../upstream/received-request.ts';
import type { ScriptedAnswer } from '../upstream/scripted-answer.ts';
import type { Conversation } from './conversation.ts';

/** Something that answers: it sees the conversation as a model does, and the request itself when it wants to. */
export type Model = (
  conversation: Conversation,
  request: RequestContent,
) => ScriptedAnswer | Promise<ScriptedAnswer>;
