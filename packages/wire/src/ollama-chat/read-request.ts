import type { BypassReason } from '@winnow/contract';
import type { ReadOptions } from '../format/request-reader.ts';
import type { RequestReading } from '../format/view.ts';
import { isJsonObject, type JsonObject, objectsIn, textOrNone } from '../json/json-splice.ts';
import type { BodyBytes } from '../request/body-bytes.ts';
import { NamesInHistory, wordsToSearch } from '../request/names-in-history.ts';
import { createBodyReader, type RequestBody } from '../request/read-body.ts';
import { readOpening } from '../request/read-opening.ts';
import { toolFacts } from '../tools/tool-facts.ts';
import { calledName, callsOf, contentText, idsOf } from './read-message.ts';
import { readTools } from './read-tools.ts';

const readBody = createBodyReader({ history: 'messages', tools: 'tools', readTools });

/** Reads the parts of a request that Winnow uses. A response is a stream by default. */
export function readRequest(
  bytes: BodyBytes,
  { purpose, searchToolName, take }: ReadOptions,
): RequestReading {
  const reading = readBody(bytes, take);
  if (!reading.ok) return reading;
  const { request } = reading;
  const { body, history } = request;
  const userTexts = objectsIn(history)
    .filter(({ role }) => role === 'user')
    .map(contentText);
  return {
    ok: true,
    view: {
      ...request,
      purpose,
      model: textOrNone(body.model),
      isStream: body.stream !== false,
      wantsUsage: true,
      // The format has no tool choice.
      toolChoice: { mode: 'auto', names: [] },
      ...readCalls(objectsIn(history)),
      ...wordsToSearch(userTexts),
      ...readOpening({ body, history, readText: (content) => contentText({ content }) }),
      sessionHints: [],
      turns: history.flatMap((message, position) =>
        isJsonObject(message) && message.role === 'assistant'
          ? [{ position, callIds: idsOf(callsOf(message)) }]
          : [],
      ),
      bypass: findBypass(request, searchToolName),
    },
  };
}

/**
 * Returns the names of the tools that the history calls, and of those whose results it has. A result names
 * its tool, or belongs to the first earlier call without a result.
 */
function readCalls(messages: readonly JsonObject[]) {
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
  return names.names();
}

/**
 * Returns the reason why a request must be left alone. If the last message is the assistant's, the model
 * continues it, and no search could be appended to the result.
 */
function findBypass({ history, toolSection }: RequestBody, searchToolName: string): BypassReason | undefined {
  const tools = toolSection === undefined ? undefined : toolFacts(toolSection);
  if (tools?.names.has(searchToolName)) return 'name_collision';
  if (objectsIn(history).at(-1)?.role === 'assistant') return 'assistant_prefill';
  return tools?.holdFunctions ? undefined : 'no_function_tools';
}
