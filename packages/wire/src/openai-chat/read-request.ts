import type { BypassReason } from '@winnow/core';
import type { ToolChoice, ToolSection } from '../format/view.ts';
import { isJsonObject, type JsonObject, objectsIn, textOrNone } from '../json/json-value.ts';
import { rememberBy } from '../remember-by.ts';
import { commonBypass, createRequestReader } from '../request/create-request-reader.ts';
import { createBodyReader } from '../request/read-body.ts';
import {
  assistantTurns,
  contentWords,
  hintsIn,
  NamesInHistory,
  readOpening,
} from '../request/read-history.ts';
import { type EntryFacts, entryFacts, toolListReader } from '../request/tool-entries.ts';
import { calledName, callsOf, contentText } from './messages.ts';

/** Reads the parts of a Chat Completions request that Winnow uses. */
export const readRequest = createRequestReader(
  createBodyReader({ history: 'messages', tools: 'tools', readTools: toolListReader(readTool) }),
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
      // The second is OpenRouter's; `user` names a person, who has many conversations.
      sessionHints: hintsIn(body, ['prompt_cache_key', 'session_id']),
      turns: assistantTurns(history, (message) => callsOf(message).flatMap(({ id }) => textOrNone(id) ?? [])),
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

/**
 * Reads an entry. Only `{ type: "function", function: { name } }` is known to be a plain function; servers
 * add types of their own.
 */
function readTool(definition: unknown): EntryFacts {
  if (!isJsonObject(definition)) return entryFacts(definition, undefined, false);
  const { type, function: described } = definition;
  const named = isJsonObject(described) ? described : { name: calledName(definition) };
  return {
    ...entryFacts(definition, named, type === 'function' && named === described),
    isCacheMarked: hasCacheMark(definition) || hasCacheMark(named),
  };
}

/** Whether a part has Anthropic's cache breakpoint, which compatible servers pass on under its own name. */
function hasCacheMark(part: JsonObject): boolean {
  return isJsonObject(part.cache_control);
}

/** Reads the client's `tool_choice`. An unknown form counts as `auto`, and the tool that it names is kept. */
function readToolChoice(choice: unknown): ToolChoice {
  if (choice === 'none' || choice === 'required') return { mode: choice, names: [] };
  if (!isJsonObject(choice)) return { mode: 'auto', names: [] };
  // OpenAI nests the list under the type's name; some servers do not.
  const allowed = isJsonObject(choice.allowed_tools) ? choice.allowed_tools : choice;
  if (choice.type === 'allowed_tools') {
    return { mode: allowed.mode === 'required' ? 'required' : 'auto', names: namesOf(allowed.tools) };
  }
  const names = namesOf([choice]);
  return { mode: names.length > 0 ? 'required' : 'auto', names };
}

function namesOf(entries: unknown): string[] {
  return objectsIn(entries).flatMap((entry) => textOrNone(calledName(entry)) ?? textOrNone(entry.name) ?? []);
}
