import { memberOf, parseObject } from '../json/json-members.ts';
import { storedById } from '../turns/stored-by-id.ts';
import type { PendingResult } from './edit-request.ts';
import { isFunctionCall } from './read-steps.ts';

/** Interactions that Google stores, unless `store` is false. */
export const storedInteractions = storedById({
  previous: 'previous_interaction_id',
  byId: /^(?<before>.*\/interactions\/)(?<id>[^/]+)(?<behind>\/cancel)?\/?$/,
  lists: ['input', 'steps'],
  keepResult: (result, { searches }) =>
    ({ ...result, name: searches.find(({ id }) => id === result.callId)?.name }) satisfies PendingResult,
  calls: {
    read: (step, text) =>
      isFunctionCall(step) ? { id: step.id, arguments: memberOf(text, 'arguments') ?? '' } : undefined,
    write: (given) => (parseObject(given) === undefined ? '{}' : given),
  },
  isHiddenTool: ({ name }, hidden) => hidden.has(name),
  hiddenCallOf: (step, hidden) =>
    isFunctionCall(step) && hidden.meantBy(String(step.name)) !== undefined ? (step.id ?? NO_ID) : undefined,
  isHiddenResult: ({ type, name, call_id: id }, hidden, calls) =>
    type === 'function_result' && (hidden.has(name) || calls.has(id ?? NO_ID)),
});

/** The key of a call without an id. */
const NO_ID = Symbol('no id');
