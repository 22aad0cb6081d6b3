import type { BypassReason } from '@winnow/contract';
import type { SessionHint, ToolSection, VisibleTurn } from '../format/view.ts';
import { isJsonObject, type JsonObject, objectsIn, textOrNone } from '../json/json-splice.ts';
import { rememberBy } from '../remember-by.ts';
import { commonBypass, createRequestReader } from '../request/create-request-reader.ts';
import { NamesInHistory } from '../request/names-in-history.ts';
import { createBodyReader } from '../request/read-body.ts';
import { readOpening } from '../request/read-opening.ts';
import { calledName, callsOf, contentText, contentWords } from './read-message.ts';
import { readToolChoice, readTools } from './read-tools.ts';

/** Reads the parts of a Chat Completions request that Winnow uses. */
export const readRequest = createRequestReader(
  createBodyReader({ history: 'messages', tools: 'tools', readTools }),
  ({ body, history, toolSection }, { searchToolName, path }) => {
    const userContents = readUserContents(body);
    return {
      model: textOrNone(body.model) ?? readDeployment(path),
      isStream: body.stream === true,
      wantsUsage: isJsonObject(body.stream_options) && body.stream_options.include_usage === true,
      toolChoice: readToolChoice(body.tool_choice),
      ...readCalls(body).factsWith(userContents.map(contentWords)),
      firstUserText: contentText(userContents[0]),
      ...readOpening({ body, history, readText: contentWords }),
      sessionHints: readSessionHints(body),
      turns: readTurns(body),
      bypass: findBypass(body, toolSection, searchToolName),
    };
  },
);

function readUserContents(body: JsonObject): unknown[] {
  return objectsIn(body.messages).flatMap(({ role, content }) => (role === 'user' ? [content] : []));
}

/**
 * Returns the names of the tools that the history calls, and of those whose results it has. A result names
 * its call only by id.
 */
function readCalls(body: JsonObject): NamesInHistory {
  const names = new NamesInHistory();
  for (const message of objectsIn(body.messages)) {
    for (const call of callsOf(message)) names.call(calledName(call), call.id);
    if (message.role === 'tool') names.resultOf(message.tool_call_id);
  }
  return names;
}

function readSessionHints(body: JsonObject): SessionHint[] {
  // `session_id` is OpenRouter's; `user` names a person, who has many conversations.
  return ['prompt_cache_key', 'session_id'].flatMap((source) => {
    const value = textOrNone(body[source]);
    return value === undefined ? [] : [{ source, value }];
  });
}

function readTurns(body: JsonObject): VisibleTurn[] {
  return (body.messages as readonly unknown[]).flatMap((message, position) =>
    isJsonObject(message) && message.role === 'assistant'
      ? [{ position, callIds: callsOf(message).flatMap(({ id }) => textOrNone(id) ?? []) }]
      : [],
  );
}

/**
 * Returns the reason why a request must be left alone.
 *
 * If the last message is the assistant's, some servers return only the rest of that message, and no search
 * could be appended to it.
 */
function findBypass(
  body: JsonObject,
  toolSection: ToolSection | undefined,
  searchToolName: string,
): BypassReason | undefined {
  if (Array.isArray(body.functions)) return 'legacy_functions';
  if (typeof body.n === 'number' && body.n > 1) return 'several_choices';
  if (toolSection && defersTools(toolSection)) return 'client_defers';
  return commonBypass(toolSection, searchToolName, objectsIn(body.messages).at(-1)?.role === 'assistant');
}

const defersTools = rememberBy(({ value }: ToolSection) => objectsIn(value).some(isDeferredByClient));

function isDeferredByClient(entry: JsonObject): boolean {
  const isMarked = isJsonObject(entry.function) && entry.function.defer_loading === true;
  return entry.defer_loading === true || isMarked || String(entry.type).startsWith('tool_search');
}

/** Returns the deployment in an Azure path, which stands for a model; undefined for every other path. */
function readDeployment(path: string): string | undefined {
  return /\/openai\/deployments\/([^/]+)\//.exec(path)?.[1];
}
