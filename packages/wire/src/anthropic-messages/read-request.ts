import type { ReadOptions } from '../format.ts';
import { isJsonObject, type JsonObject } from '../json-splice.ts';
import { readBody } from '../read-body.ts';
import type { BypassReason, RequestReading, SessionHint, ToolChoice, ToolEntry } from '../view.ts';
import { readBlocks } from './read-blocks.ts';
import { readHistory } from './read-history.ts';
import { defersByItself, readTools } from './read-tools.ts';

/** Reads a request of the Messages API, or of its token counter, which takes the same body. */
export function readRequest(bytes: Uint8Array, { purpose, searchToolName }: ReadOptions): RequestReading {
  const reading = readBody(bytes);
  if (!reading.ok) return reading;
  const { request } = reading;
  const { body } = request;
  const messages = body.messages as readonly unknown[];
  const tools = readTools(request);
  const view = {
    purpose,
    ...request,
    model: typeof body.model === 'string' ? body.model : undefined,
    isStream: body.stream === true,
    wantsUsage: true,
    tools,
    toolChoice: readToolChoice(body.tool_choice),
    ...readHistory(messages),
    sessionHints: readSessionHints(body.metadata),
    bypass: findBypass(body, tools, searchToolName),
  };
  return { ok: true, view };
}

function readToolChoice(choice: unknown): ToolChoice {
  if (!isJsonObject(choice)) return { mode: 'auto', names: [] };
  const names = choice.type === 'tool' && typeof choice.name === 'string' ? [choice.name] : [];
  if (choice.type === 'none') return { mode: 'none', names };
  return { mode: choice.type === 'any' || choice.type === 'tool' ? 'required' : 'auto', names };
}

/** `user_id` is meant for the end user; only where a client writes its session into it does it tell conversations apart. */
function readSessionHints(metadata: unknown): SessionHint[] {
  const value = isJsonObject(metadata) ? metadata.user_id : undefined;
  const namesSession = typeof value === 'string' && value.includes('session');
  return namesSession ? [{ source: 'metadata.user_id', value }] : [];
}

function findBypass(
  body: JsonObject,
  tools: readonly ToolEntry[],
  searchToolName: string,
): BypassReason | undefined {
  const messages = body.messages as readonly unknown[];
  // A thread lives with the provider and may be continued once by each answer: hidden rounds would use that up.
  if (isJsonObject(body.thread)) return 'continued_thread';
  if (!tools.some(({ kind }) => kind === 'function')) return 'no_function_tools';
  if (tools.some(defersByItself) || messages.some(changesTools)) return 'client_defers';
  if (tools.some(({ name }) => name === searchToolName)) return 'name_collision';
  return endsInPrefill(messages) ? 'assistant_prefill' : undefined;
}

const TOOL_CHANGES = new Set<unknown>(['tool_addition', 'tool_removal']);

/** True when the client loads tools through the conversation itself. */
function changesTools(message: unknown): boolean {
  return readBlocks(message).some(
    ({ type, content }) =>
      TOOL_CHANGES.has(type) ||
      (type === 'tool_result' && readBlocks({ content }).some((part) => part.type === 'tool_reference')),
  );
}

/** A turn that paused within the provider's own tools is sent back as it is, to be gone on with: no prefill. */
function endsInPrefill(messages: readonly unknown[]): boolean {
  const last = messages.at(-1);
  if (!isJsonObject(last) || last.role !== 'assistant') return false;
  const type = readBlocks(last).at(-1)?.type;
  return typeof type !== 'string' || !(type === 'server_tool_use' || type.endsWith('_tool_result'));
}
