import type { Format } from '../format/format.ts';
import { jsonArray } from '../framing/json-array.ts';
import { hashText } from '../turns/turn-keys.ts';
import { guild } from '../vendors/guild.ts';
import { editRequest, historyKeys, recalled } from './edit-request.ts';
import { hideTurn, shownKeys } from './hide-turn.ts';
import { joinResponses } from './join-responses.ts';
import { readRequest } from './read-request.ts';

/**
 * A format unlike the others: the path names the model and selects a stream, tools are in containers, a
 * stream is a JSON array with the content type of a whole response, and there are no keep-alives.
 */
export const parley: Format = {
  name: 'parley',
  vendor: guild,
  heartbeat: undefined,
  loading: { modes: ['swap'], nativeModels: [] },
  reading: { routes: [[/\/parley\/[^/]+:(talk|stream)$/, 'answer']], readRequest },
  editing: {
    editRequest,
    // A response that Winnow reads need not be indented.
    editTarget: (_, { path, query }) => ({ path, query: query.replace(/\?indent=\d+$/, '') }),
  },
  joining: { framingOf: ({ isStream }) => (isStream ? jsonArray : undefined), joinResponses },
  remembering: {
    historyKeys,
    openingKey: ({ text }) => hashText(text),
    shownKeys: (_, rounds) => shownKeys(rounds),
    recall: (view, hiddenTurns) => recalled(view, hiddenTurns).filter((hidden) => hidden !== undefined),
    hideTurn,
  },
  capabilities: {},
};
