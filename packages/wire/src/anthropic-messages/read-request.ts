import type { BypassReason } from '@winnow/core';
import type { SessionHint, ToolChoice, ToolSection } from '../format/view.ts';
import { isJsonObject } from '../json/json-splice.ts';
import { rememberBy } from '../remember-by.ts';
import { commonBypass, createRequestReader } from '../request/create-request-reader.ts';
import { createBodyReader, type RequestBody } from '../request/read-body.ts';
import { readOpening } from '../request/read-opening.ts';
import { readBlocks, readText } from './read-blocks.ts';
import { readHistory } from './read-history.ts';
import { defersByItself, readTools } from './read-tools.ts';

/** Reads a request to the Messages API or its token counter, which takes the same body. */
export const readRequest = createRequestReader(
  createBodyReader({ history: 'messages', tools: 'tools', readTools }),
  (request, { searchToolName, path }) => {
    const { body, history } = request;
    return {
      model: typeof body.model === 'string' ? body.model : readModelOfPath(path),
      isStream: body.stream === true,
      toolChoice: readToolChoice(body.tool_choice),
      ...readHistory(history),
      ...readOpening({ body, history, readText: (content) => readText({ content }) }),
      sessionHints: readSessionHints(body.metadata),
      bypass: findBypass(request, searchToolName),
    };
  },
);

function readToolChoice(choice: unknown): ToolChoice {
  if (!isJsonObject(choice)) return { mode: 'auto', names: [] };
  const names = choice.type === 'tool' && typeof choice.name === 'string' ? [choice.name] : [];
  if (choice.type === 'none') return { mode: 'none', names };
  return { mode: choice.type === 'any' || choice.type === 'tool' ? 'required' : 'auto', names };
}

/**
 * Returns `user_id` if it names a session. The field is meant for the end user, and identifies a conversation
 * only where a client writes its session into it.
 */
function readSessionHints(metadata: unknown): SessionHint[] {
  const value = isJsonObject(metadata) ? metadata.user_id : undefined;
  const namesSession = typeof value === 'string' && value.includes('session');
  return namesSession ? [{ source: 'metadata.user_id', value }] : [];
}

function findBypass(
  { body, history, toolSection }: RequestBody,
  searchToolName: string,
): BypassReason | undefined {
  // The provider keeps the thread, and each response may be continued only once: hidden rounds would use that
  // up.
  if (isJsonObject(body.thread)) return 'continued_thread';
  if ((toolSection && defersTools(toolSection)) || history.some(changesTools)) return 'client_defers';
  return commonBypass(toolSection, searchToolName, endsInPrefill(history));
}

const defersTools = rememberBy(({ entries }: ToolSection) => entries.some(defersByItself));

const TOOL_CHANGES = new Set<unknown>(['tool_addition', 'tool_removal']);

/** Whether the client loads tools through the conversation itself. */
function changesTools(message: unknown): boolean {
  return readBlocks(message).some(
    ({ type, content }) =>
      TOOL_CHANGES.has(type) ||
      (type === 'tool_result' && readBlocks({ content }).some((part) => part.type === 'tool_reference')),
  );
}

/**
 * Whether the request ends in a prefill. The client resends a turn that paused within the provider's own
 * tools, to continue it; that is not a prefill.
 */
function endsInPrefill(messages: readonly unknown[]): boolean {
  const last = messages.at(-1);
  if (!isJsonObject(last) || last.role !== 'assistant') return false;
  const type = readBlocks(last).at(-1)?.type;
  return typeof type !== 'string' || !(type === 'server_tool_use' || type.endsWith('_tool_result'));
}

/** Returns the model in a Vertex path; undefined for every other path and for the token counter. */
function readModelOfPath(path: string): string | undefined {
  const model = /\/publishers\/anthropic\/models\/([^/:]+):(?:rawPredict|streamRawPredict)$/.exec(path)?.[1];
  return model === 'count-tokens' ? undefined : model;
}
