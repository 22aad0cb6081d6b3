import type { RequestContent } from '../upstream/received-request.ts';
import type { ScriptedAnswer } from '../upstream/scripted-answer.ts';
import type { Conversation } from './conversation.ts';

/** A source of responses. It receives the model's view of the conversation, and the request itself. */
export type Model = (
  conversation: Conversation,
  request: RequestContent,
) => ScriptedAnswer | Promise<ScriptedAnswer>;
