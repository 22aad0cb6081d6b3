import type { BypassReason } from '@winnow/core';
import type { ToolChoice } from '../format/view.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { commonBypass, createRequestReader } from '../request/create-request-reader.ts';
import { type BodyLayout, createBodyReader, type RequestBody } from '../request/read-body.ts';
import { readOpening } from '../request/read-opening.ts';
import { readBlocks, readText } from './read-blocks.ts';
import { readHistory } from './read-history.ts';
import { readTarget } from './read-target.ts';
import { readTools } from './read-tools.ts';

const LAYOUT: BodyLayout = { history: 'messages', tools: 'toolConfig', readTools };
const readBody = createBodyReader(LAYOUT);
/** A request for a token count contains the request as a member. `anthropicBedrock` reads one for InvokeModel. */
const readCounted = createBodyReader({ ...LAYOUT, within: ['input', 'converse'] });

/** Reads a request of Converse, or for the count of its tokens. Its path tells whether it asks for a stream. */
export const readRequest = createRequestReader(
  (bytes, options) => (options.purpose === 'answer' ? readBody : readCounted)(bytes, options),
  (request, { searchToolName, path }) => {
    const { body, history } = request;
    const target = readTarget(path);
    return {
      model: target?.model,
      isStream: target?.isStream === true,
      toolChoice: readToolChoice(body.toolConfig),
      ...readHistory(history),
      ...readOpening({ body, history, readText: (content) => readText({ content }) }),
      bypass: findBypass(request, searchToolName),
    };
  },
);

/** Reads the tool choice. Converse has no way to forbid calls. */
function readToolChoice(config: unknown): ToolChoice {
  const choice = isJsonObject(config) ? config.toolChoice : undefined;
  if (!isJsonObject(choice)) return { mode: 'auto', names: [] };
  const { tool, any } = choice;
  const names = isJsonObject(tool) && typeof tool.name === 'string' ? [tool.name] : [];
  return { mode: isJsonObject(any) || isJsonObject(tool) ? 'required' : 'auto', names };
}

function findBypass({ history, toolSection }: RequestBody, searchToolName: string): BypassReason | undefined {
  if (history.some(changesTools)) return 'client_defers';
  const last = history.at(-1);
  const isPrefill = isJsonObject(last) && last.role === 'assistant';
  return commonBypass(toolSection, searchToolName, isPrefill);
}

/** Whether the client loads tools through the conversation itself. */
function changesTools(message: unknown): boolean {
  return readBlocks(message).some((block: JsonObject) => 'toolAddition' in block || 'toolRemoval' in block);
}
