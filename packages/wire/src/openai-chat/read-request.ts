import type { BypassReason } from '@winnow/contract';
import type { ReadOptions } from '../format/request-reader.ts';
import type { RequestReading, SessionHint, ToolSection, VisibleTurn } from '../format/view.ts';
import { isJsonObject, type JsonObject, objectsIn, textOrNone } from '../json/json-splice.ts';
import { rememberBy } from '../remember-by.ts';
import type { BodyBytes } from '../request/body-bytes.ts';
import { NamesInHistory, wordsToSearch } from '../request/names-in-history.ts';
import { createBodyReader } from '../request/read-body.ts';
import { readOpening } from '../request/read-opening.ts';
import { calledName, callsOf, contentText, contentWords } from './read-message.ts';
import { readToolChoice, readTools } from './read-tools.ts';

const readBody = createBodyReader({ history: 'messages', tools: 'tools', readTools });

/** Reads the parts of a Chat Completions request that Winnow uses. */
export function readRequest(
  bytes: BodyBytes,
  { purpose, searchToolName, path, take }: ReadOptions,
): RequestReading {
  const reading = readBody(bytes, take);
  if (!reading.ok) return reading;
  const { request } = reading;
  const { body, toolSection } = request;
  const userContents = readUserContents(body);
  return {
    ok: true,
    view: {
      ...request,
      purpose,
      model: textOrNone(body.model) ?? readDeployment(path),
      isStream: body.stream === true,
      wantsUsage: isJsonObject(body.stream_options) && body.stream_options.include_usage === true,
      toolChoice: readToolChoice(body.tool_choice),
      ...readCalls(body),
      ...wordsToSearch(userContents.map(contentWords)),
      firstUserText: contentText(userContents[0]),
      ...readOpening({ body, history: request.history, readText: contentWords }),
      sessionHints: readSessionHints(body),
      turns: readTurns(body),
      bypass: findBypass(body, toolSection, searchToolName),
    },
  };
}

function readUserContents(body: JsonObject): unknown[] {
  return objectsIn(body.messages).flatMap(({ role, content }) => (role === 'user' ? [content] : []));
}

/**
 * Returns the names of the tools that the history calls, and of those whose results it has. A result names
 * its call only by id.
 */
function readCalls(body: JsonObject) {
  const names = new NamesInHistory();
  for (const message of objectsIn(body.messages)) {
    for (const call of callsOf(message)) names.call(calledName(call), call.id);
    if (message.role === 'tool') names.resultOf(message.tool_call_id);
  }
  return names.names();
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
  const last = objectsIn(body.messages).at(-1);
  const tools = toolSection === undefined ? undefined : factsOf(toolSection);
  if (Array.isArray(body.functions)) return 'legacy_functions';
  if (typeof body.n === 'number' && body.n > 1) return 'several_choices';
  if (tools?.deferByThemselves) return 'client_defers';
  if (tools?.names.has(searchToolName)) return 'name_collision';
  if (last?.role === 'assistant') return 'assistant_prefill';
  return tools?.holdFunctions ? undefined : 'no_function_tools';
}

const factsOf = rememberBy(({ value, entries }: ToolSection) => ({
  names: new Set(entries.map(({ name }) => name)),
  deferByThemselves: objectsIn(value).some(isDeferredByClient),
  holdFunctions: objectsIn(value).some(({ type }) => type === 'function'),
}));

function isDeferredByClient(entry: JsonObject): boolean {
  const isMarked = isJsonObject(entry.function) && entry.function.defer_loading === true;
  return entry.defer_loading === true || isMarked || String(entry.type).startsWith('tool_search');
}

/** Returns the deployment in an Azure path, which stands for a model; undefined for every other path. */
function readDeployment(path: string): string | undefined {
  return /\/openai\/deployments\/([^/]+)\//.exec(path)?.[1];
}
