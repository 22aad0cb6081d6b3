import type { BypassReason } from '@winnow/core';
import type { SessionHint, ToolSection } from '../format/view.ts';
import { isJsonObject, type JsonObject, textOrNone } from '../json/json-splice.ts';
import { rememberBy } from '../remember-by.ts';
import { commonBypass, createRequestReader } from '../request/create-request-reader.ts';
import { createBodyReader, type RequestBody } from '../request/read-body.ts';
import { readOpening } from '../request/read-opening.ts';
import { readHistory } from './read-history.ts';
import { contentWords, isOfModel } from './read-items.ts';
import { defersByItself, isAsync, readToolChoice, readTools } from './read-tools.ts';

const readBody = createBodyReader({
  history: 'input',
  readTextHistory: (content) => ({ role: 'user', content }),
  tools: 'tools',
  readTools,
});

/** Reads a request to the Responses API or its token counter, which takes the same body. */
export const readRequest = createRequestReader(readBody, (request, { searchToolName }) => {
  const { body, history, toolSection } = request;
  return {
    model: textOrNone(body.model),
    isStream: body.stream === true,
    toolChoice: readToolChoice(body.tool_choice, toolSection),
    ...readHistory(history),
    ...readOpening({ body, history: openingOf(history), readText: contentWords }),
    sessionHints: readSessionHints(body),
    bypass: findBypass(request, searchToolName),
  };
});

/** Returns the items before the model's first turn after a user message. */
function openingOf(history: readonly unknown[]): readonly unknown[] {
  const firstUser = history.findIndex((item) => isJsonObject(item) && item.role === 'user');
  const end = history.findIndex((item, at) => at > firstUser && isOfModel(item));
  return end === -1 ? history : history.slice(0, end);
}

/** `user` and `safety_identifier` stand for people, who have many conversations. */
function readSessionHints(body: JsonObject): SessionHint[] {
  const value = textOrNone(body.prompt_cache_key);
  return value === undefined ? [] : [{ source: 'prompt_cache_key', value }];
}

/** Returns the reason why a request must be left alone. */
function findBypass(
  { body, history, toolSection }: RequestBody,
  searchToolName: string,
): BypassReason | undefined {
  const tools = toolSection && factsOf(toolSection);
  if (body.background === true) return 'background';
  if (isJsonObject(body.conversation) || textOrNone(body.conversation)) return 'conversation';
  if (isJsonObject(body.prompt)) return 'stored_prompt';
  if (tools?.deferByThemselves || history.some(loadsTools)) return 'client_defers';
  if (tools?.areAsync) return 'async_tools';
  return commonBypass(toolSection, searchToolName, false);
}

const factsOf = rememberBy(({ entries }: ToolSection) => ({
  deferByThemselves: entries.some(defersByItself),
  areAsync: entries.some(isAsync),
}));

const LOADING: ReadonlySet<unknown> = new Set(['tool_search_call', 'tool_search_output', 'additional_tools']);

/** Whether the client loads tools through the conversation with this item. */
function loadsTools(item: unknown): boolean {
  return isJsonObject(item) && LOADING.has(item.type);
}
