import type { BypassReason } from '@winnow/core';
import type { ToolChoice, ToolEntry, ToolSection } from '../format/view.ts';
import { isJsonObject, type JsonObject, textOrNone } from '../json/json-splice.ts';
import { rememberBy } from '../remember-by.ts';
import { commonBypass, createRequestReader } from '../request/create-request-reader.ts';
import { createBodyReader, type RequestBody } from '../request/read-body.ts';
import { type Opening, readOpening } from '../request/read-opening.ts';
import { type EntryFacts, entryFacts, readToolList } from '../tools/read-tool-list.ts';
import { readHistory } from './read-history.ts';
import { isContent, isOfModel, isSpoken, wordsOf } from './read-steps.ts';

const readBody = createBodyReader({
  history: 'input',
  readTextHistory: (text) => ({ type: 'user_input', content: [{ type: 'text', text }] }),
  // A request that continues an interaction by its token need not repeat the input.
  readOtherHistory: (input) => (input === undefined ? [] : isContent(input) ? [input] : undefined),
  tools: 'tools',
  readTools,
});

/** Reads a request for an interaction with a model. */
export const readRequest = createRequestReader(readBody, (request, { searchToolName }) => ({
  model: textOrNone(request.body.model),
  isStream: request.body.stream === true,
  toolChoice: readToolChoice(request.body),
  ...readHistory(request.history),
  ...openingOf(request),
  bypass: findBypass(request, searchToolName),
}));

/** Rewrites the conversation as messages, which `readOpening` understands. */
function openingOf({ body, history }: RequestBody): Opening {
  const messages = history.flatMap((step) => {
    if (isOfModel(step)) return [{ role: 'assistant' }];
    return isSpoken(step) ? [{ role: 'user', content: step }] : [];
  });
  return readOpening({ body: { system: body.system_instruction }, history: messages, readText: wordsOf });
}

/**
 * Returns the reason why a request must be left alone.
 *
 * An agent has its own tools and calls them itself. Cached content cannot be changed and includes the tools.
 * A continued response was made with other tools. If the last step is the model's, the model continues it,
 * and no search could be appended to the result.
 */
function findBypass(
  { body, history, toolSection }: RequestBody,
  searchToolName: string,
): BypassReason | undefined {
  if (isGiven(body.agent) || isJsonObject(body.agent_config)) return 'agent';
  if (body.background === true) return 'background';
  if (isGiven(body.cached_content)) return 'cached_content';
  if (isGiven(body.continuation_token)) return 'continued_thread';
  if (toolSection && defersTools(toolSection)) return 'client_defers';
  return commonBypass(toolSection, searchToolName, isOfModel(history.at(-1)));
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

const defersTools = rememberBy(({ entries }: ToolSection) => entries.some(defersByItself));

/** Reads the value of `tools`: one list of functions and of tools that the provider runs. */
function readTools(value: unknown, text: string): ToolSection {
  return readToolList(value, text, readEntry);
}

function readEntry(definition: unknown): EntryFacts {
  const entry = isJsonObject(definition) ? definition : {};
  return entryFacts(definition, entry, entry.type === 'function' && entry.defer_loading !== true);
}

/**
 * Whether an entry shows that the client defers tools itself, as with other providers; this provider does not
 * support it.
 */
function defersByItself({ definition }: ToolEntry): boolean {
  return isJsonObject(definition) && definition.defer_loading === true;
}

/**
 * Reads the client's `generation_config.tool_choice`: a mode or the allowed names. `validated` lets the model
 * call nothing, like `auto`.
 */
function readToolChoice({ generation_config: config }: JsonObject): ToolChoice {
  const choice = isJsonObject(config) ? config.tool_choice : undefined;
  const allowed = isJsonObject(choice) ? choice.allowed_tools : undefined;
  if (!isJsonObject(allowed)) return { mode: modeOf(choice), names: [] };
  const names = Array.isArray(allowed.tools)
    ? allowed.tools.flatMap((name: unknown) => textOrNone(name) ?? [])
    : [];
  return { mode: modeOf(allowed.mode), names };
}

function modeOf(word: unknown): ToolChoice['mode'] {
  return MODES.get(String(word).toLowerCase()) ?? 'auto';
}

const MODES: ReadonlyMap<string, ToolChoice['mode']> = new Map([
  ['any', 'required'],
  ['none', 'none'],
]);
