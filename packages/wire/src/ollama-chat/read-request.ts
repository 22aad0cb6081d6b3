import type { ToolSection } from '../format/view.ts';
import { isJsonObject, type JsonObject, objectsIn, textOrNone } from '../json/json-splice.ts';
import { commonBypass, createRequestReader } from '../request/create-request-reader.ts';
import { NamesInHistory } from '../request/names-in-history.ts';
import { createBodyReader } from '../request/read-body.ts';
import { readOpening } from '../request/read-opening.ts';
import { type EntryFacts, entryFacts, readToolList } from '../tools/read-tool-list.ts';
import { calledName, callsOf, contentText, idsOf } from './read-message.ts';

/** Reads the parts of a request that Winnow uses. A response is a stream by default. */
export const readRequest = createRequestReader(
  createBodyReader({ history: 'messages', tools: 'tools', readTools }),
  ({ body, history, toolSection }, { searchToolName }) => {
    const messages = objectsIn(history);
    const userTexts = messages.filter(({ role }) => role === 'user').map(contentText);
    return {
      model: textOrNone(body.model),
      isStream: body.stream !== false,
      // The format has no tool choice.
      toolChoice: { mode: 'auto', names: [] },
      ...readCalls(messages).factsWith(userTexts),
      ...readOpening({ body, history, readText: (content) => contentText({ content }) }),
      turns: history.flatMap((message, position) =>
        isJsonObject(message) && message.role === 'assistant'
          ? [{ position, callIds: idsOf(callsOf(message)) }]
          : [],
      ),
      bypass: commonBypass(toolSection, searchToolName, messages.at(-1)?.role === 'assistant'),
    };
  },
);

/**
 * Returns the names of the tools that the history calls, and of those whose results it has. A result names
 * its tool, or belongs to the first earlier call without a result.
 */
function readCalls(messages: readonly JsonObject[]): NamesInHistory {
  const names = new NamesInHistory();
  let waiting: string[] = [];
  for (const message of messages) {
    if (message.role === 'assistant') {
      waiting = callsOf(message).map(calledName);
      for (const name of waiting) names.call(name);
    }
    if (message.role !== 'tool') continue;
    const named = waiting.indexOf(textOrNone(message.tool_name) ?? '');
    names.result(waiting.splice(Math.max(0, named), 1)[0]);
  }
  return names;
}

/** Reads the value of `tools`. */
function readTools(value: unknown, text: string): ToolSection {
  return readToolList(value, text, readTool);
}

/**
 * Reads an entry. Only `{ type: "function", function: { name } }` is known to be a plain function. There are
 * no cache marks.
 */
function readTool(definition: unknown): EntryFacts {
  const entry = isJsonObject(definition) ? definition : {};
  return entryFacts(definition, entry.function, entry.type === 'function');
}
