import type { BypassReason } from '@winnow/core';
import type { VisibleTurn } from '../format/view.ts';
import { isJsonObject, type JsonObject, textOrNone } from '../json/json-splice.ts';
import { commonBypass, createRequestReader } from '../request/create-request-reader.ts';
import { NamesInHistory } from '../request/names-in-history.ts';
import { type BodyLayout, createBodyReader, type RequestBody } from '../request/read-body.ts';
import { type Opening, readOpening } from '../request/read-opening.ts';
import { fieldOf } from './field-of.ts';
import { callOf, callsOf, contentText, isOfModel, partsOf, responseOf } from './read-contents.ts';
import { readTarget } from './read-target.ts';
import { readToolChoice, readTools } from './read-tools.ts';

const LAYOUT: BodyLayout = { history: 'contents', tools: 'tools', readTools };
const readBody = createBodyReader(LAYOUT);
/** A request for a token count may contain the whole request as a member. */
const readWrapped = createBodyReader({ ...LAYOUT, within: ['generateContentRequest'] });

/** Reads the parts of a request that Winnow uses. */
export const readRequest = createRequestReader(
  (bytes, options) => {
    const plain = readBody(bytes, options);
    return plain.ok || options.purpose === 'answer' ? plain : readWrapped(bytes, options);
  },
  (request, { searchToolName, path }) => {
    const target = readTarget(path);
    const users = request.history.filter((content) => isJsonObject(content) && !isOfModel(content));
    return {
      model: textOrNone(target?.model),
      isStream: target?.isStream ?? false,
      toolChoice: readToolChoice(request.body),
      ...readNames(request).factsWith(users.map(contentText)),
      ...openingOf(request),
      turns: readTurns(request.history),
      bypass: findBypass(request, searchToolName),
    };
  },
);

/** Returns the names of the functions that the history calls, and of those whose results it has. */
function readNames({ history }: RequestBody): NamesInHistory {
  const names = new NamesInHistory();
  for (const part of history.flatMap(partsOf)) {
    names.call(textOrNone(callOf(part)?.name) ?? '');
    names.result(textOrNone(responseOf(part)?.name));
  }
  return names;
}

/** Rewrites the conversation as messages, which `readOpening` understands. */
function openingOf({ body, history }: RequestBody): Opening {
  const instruction = fieldOf(body, 'systemInstruction');
  const system = isJsonObject(instruction) ? instruction.parts : instruction;
  const messages = history.filter(isJsonObject).map((content) => ({
    role: isOfModel(content) ? 'assistant' : 'user',
    content,
  }));
  return readOpening({ body: { system }, history: messages, readText: contentText });
}

/**
 * Returns the turns of a history. Adjacent contents of the model are one turn: some clients keep each piece
 * of a stream as a separate content.
 */
function readTurns(history: readonly unknown[]): VisibleTurn[] {
  return history.flatMap((content, position) => {
    if (!isOfModel(content) || isOfModel(history[position - 1])) return [];
    const parts = partsOfTurn(history, position);
    return [{ position, callIds: callsOf(parts).map(({ key }) => key) }];
  });
}

/** Returns the parts of the turn that begins at a position. */
export function partsOfTurn(history: readonly unknown[], position: number): JsonObject[] {
  return history.slice(position, endOfTurn(history, position)).flatMap(partsOf);
}

/** Returns the position after the last content of the turn that begins at a position. */
export function endOfTurn(history: readonly unknown[], position: number): number {
  let end = position;
  while (isOfModel(history[end])) end += 1;
  return end;
}

/**
 * Returns the reason why a request must be left alone.
 *
 * Cached content cannot be changed and includes the tools. If the last content is the model's, the model
 * continues it, and no search could be appended to the result.
 */
function findBypass(
  { body, history, toolSection }: RequestBody,
  searchToolName: string,
): BypassReason | undefined {
  const config = fieldOf(body, 'generationConfig');
  const count = isJsonObject(config) ? fieldOf(config, 'candidateCount') : undefined;
  if (fieldOf(body, 'cachedContent') !== undefined) return 'cached_content';
  if (typeof count === 'number' && count > 1) return 'several_choices';
  if (fieldOf(body, 'continuationToken') !== undefined) return 'continued_thread';
  return commonBypass(toolSection, searchToolName, isOfModel(history.at(-1)));
}
