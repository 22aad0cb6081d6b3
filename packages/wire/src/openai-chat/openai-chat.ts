import type { Format } from '../format.ts';
import { editRequest } from './edit-request.ts';
import { errorBody } from './error-body.ts';
import { FORMAT_NAME } from './format-name.ts';
import { hideTurn } from './hide-turn.ts';
import { joinResponses } from './join-responses.ts';
import { matchRoute } from './match-route.ts';
import { readRequest } from './read-request.ts';

/** OpenAI Chat Completions, as OpenAI, Azure and compatible servers speak it. Found tools are loaded by swapping. */
export const openaiChat: Format = {
  name: FORMAT_NAME,
  streamContentType: 'text/event-stream; charset=utf-8',
  heartbeat: ': keepalive\n\n',
  matchRoute,
  readRequest,
  editRequest,
  holdsThinking: () => false,
  addedHeaders: () => [],
  loadModes: () => ['swap'],
  joinAnswers: joinResponses,
  hideTurn,
  errorBody,
};
