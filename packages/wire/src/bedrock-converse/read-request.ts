import type { BypassReason } from '@winnow/contract';
import type { ReadOptions } from '../format/request-reader.ts';
import type { RequestReading, ToolChoice } from '../format/view.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import type { BodyBytes } from '../request/body-bytes.ts';
import { type BodyLayout, createBodyReader, type RequestBody } from '../request/read-body.ts';
import { readOpening } from '../request/read-opening.ts';
import { toolFacts } from '../tools/tool-facts.ts';
import { readBlocks, readText } from './read-blocks.ts';
import { readHistory } from './read-history.ts';
import { readTarget } from './read-target.ts';
import { readTools } from './read-tools.ts';

const LAYOUT: BodyLayout = { history: 'messages', tools: 'toolConfig', readTools };
const readBody = createBodyReader(LAYOUT);
/** A request for a token count contains the request as a member. `anthropicBedrock` reads one for InvokeModel. */
const readCounted = createBodyReader({ ...LAYOUT, within: ['input', 'converse'] });

/** Reads a request of Converse, or for the count of its tokens. Its path tells whether it asks for a stream. */
export function readRequest(
  bytes: BodyBytes,
  { purpose, searchToolName, path, take }: ReadOptions,
): RequestReading {
  const reading = purpose === 'answer' ? readBody(bytes, take) : readCounted(bytes, take);
  if (!reading.ok) return reading;
  const { request } = reading;
  const { body, history } = request;
  const target = readTarget(path);
  const view = {
    purpose,
    ...request,
    model: target?.model,
    isStream: target?.isStream === true,
    wantsUsage: true,
    toolChoice: readToolChoice(body.toolConfig),
    ...readHistory(history),
    ...readOpening({ body, history, readText: (content) => readText({ content }) }),
    sessionHints: [],
    bypass: findBypass(request, searchToolName),
  };
  return { ok: true, view };
}

/** Reads the tool choice. Converse has no way to forbid calls. */
function readToolChoice(config: unknown): ToolChoice {
  const choice = isJsonObject(config) ? config.toolChoice : undefined;
  if (!isJsonObject(choice)) return { mode: 'auto', names: [] };
  const { tool, any } = choice;
  const names = isJsonObject(tool) && typeof tool.name === 'string' ? [tool.name] : [];
  return { mode: isJsonObject(any) || isJsonObject(tool) ? 'required' : 'auto', names };
}

function findBypass({ history, toolSection }: RequestBody, searchToolName: string): BypassReason | undefined {
  const tools = toolSection === undefined ? undefined : toolFacts(toolSection);
  if (history.some(changesTools)) return 'client_defers';
  if (tools?.names.has(searchToolName)) return 'name_collision';
  if (isOfAssistant(history.at(-1))) return 'assistant_prefill';
  return tools?.holdFunctions ? undefined : 'no_function_tools';
}

/** Whether the client loads tools through the conversation itself. */
function changesTools(message: unknown): boolean {
  return readBlocks(message).some((block: JsonObject) => 'toolAddition' in block || 'toolRemoval' in block);
}

function isOfAssistant(message: unknown): boolean {
  return isJsonObject(message) && message.role === 'assistant';
}
