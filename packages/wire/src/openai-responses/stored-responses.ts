import { textOrNone } from '../json/json-splice.ts';
import { storedById } from '../turns/stored-by-id.ts';
import { calledName, isFunctionCall } from './read-items.ts';
import { isNamespace } from './read-tools.ts';
import { nativeSearches } from './write-results.ts';

/** Responses that OpenAI stores for 30 days, unless `store` is false. */
export const storedResponses = {
  ...storedById({
    previous: 'previous_response_id',
    byId: /^(?<before>.*\/responses\/)(?<id>[^/]+)(?<behind>\/cancel|\/input_items)?\/?$/,
    actions: [['GET /input_items', 'input_items']],
    lists: ['output', 'data'],
    keepResult: (result, { message }) => ({
      ...result,
      isNative: nativeSearches(message).has(result.callId),
    }),
    calls: {
      namespacesIn: ({ body }) =>
        Array.isArray(body.tools) ? body.tools.filter(isNamespace).map(({ name }) => name) : [],
      read: (item) =>
        isFunctionCall(item) ? { id: item.call_id, arguments: textOrNone(item.arguments) ?? '' } : undefined,
      write: (given) => JSON.stringify(given),
    },
    isHiddenTool: ({ name, type, execution }, hidden) =>
      hidden.has(name) || (type === 'tool_search' && execution === 'client'),
    hiddenCallOf: (item, hidden) => {
      const isClientSearch = item.type === 'tool_search_call' && item.execution === 'client';
      const isHidden =
        isClientSearch || (isFunctionCall(item) && hidden.meantBy(calledName(item)) !== undefined);
      return isHidden ? (item.call_id ?? NO_ID) : undefined;
    },
    isHiddenResult: ({ call_id: id }, _, calls) => id !== undefined && calls.has(id),
  }),
  // Source: https://github.com/maximhq/bifrost/issues/5410. The status may vary.
  unstoredRefusal: { statuses: [400, 404], words: /Item with id '[^']*' not found/ },
};

/** The key of a call without an id. */
const NO_ID = Symbol('no id');
