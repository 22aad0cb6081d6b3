import { textOf } from '@winnow/core';
import type { CallEvent, CallEvents, CallPart, PartChange, PartChanges } from '../bridge/call-events.ts';
import type { BridgeDialect, CallWriter } from '../bridge/call-writer.ts';
import { eventText, withText } from '../framing/framing.ts';
import { readDataFirst } from '../joining/read-event.ts';
import { memberTexts, parseObject, spanAt, withChangesAt, withElements } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, textOrNone } from '../json/json-value.ts';
import { callOf, fieldOf, keyOf, responseOf } from './read-request.ts';
import { CallArguments } from './read-round.ts';

/** Bridge mode in Gemini. */
export const bridgeDialect: BridgeDialect = {
  readCalls: ({ toolName }) => new GeminiCalls(toolName),
  parametersOf: (definition) =>
    isJsonObject(definition)
      ? (fieldOf(definition, 'parametersJsonSchema') ?? definition.parameters)
      : undefined,
  writeElement,
};

const CONTENT = ['candidates', 'content'];

/**
 * Reads the calls in chunks, or in a whole response. A call is one part, unless its arguments are streamed;
 * a bridge call is then told at its end, in one part.
 */
class GeminiCalls implements CallEvents {
  readonly #bridgeTool: string;
  #calls = 0;
  #open: { readonly call: number; readonly name: string; readonly pieces: CallArguments } | undefined;

  constructor(bridgeTool: string) {
    this.#bridgeTool = bridgeTool;
  }

  partsOf(event: CallEvent): readonly CallPart[] {
    return callParts(eventText(event)).map((part) => this.#read(part));
  }

  endsCalls(event: CallEvent): boolean {
    if (event.kind === 'whole') return true;
    const chunk = readDataFirst(event);
    const [candidate] = Array.isArray(chunk?.candidates) ? (chunk.candidates as readonly unknown[]) : [];
    const isFinished = isJsonObject(candidate) && fieldOf(candidate, 'finishReason') !== undefined;
    return chunk === undefined || chunk.error !== undefined || isFinished;
  }

  rewrite(event: CallEvent, changes: PartChanges): CallEvent | undefined {
    const text = eventText(event);
    const changed = new Map(callParts(text).map((part, at) => [part.at, { part, change: changes[at] }]));
    const edit = (own: string, at: number) => {
      const { part, change } = changed.get(at) ?? {};
      if (change === 'drop') return undefined;
      return part === undefined || change === undefined ? own : writeCall(part, change);
    };
    return withText(event, withElements(text, 'parts', edit, CONTENT));
  }

  #read({ called, own }: PartOfCall): CallPart {
    const pieces = fieldOf(called, 'partialArgs');
    const goesOn = fieldOf(called, 'willContinue') === true;
    const name = textOrNone(called.name);
    if (name !== undefined) {
      const call = this.#calls;
      this.#calls += 1;
      if (!goesOn || name !== this.#bridgeTool)
        return { call, name, arguments: argumentsIn(own), isEnd: !goesOn };
      this.#open = { call, name, pieces: new CallArguments() };
    }
    const open = this.#open;
    if (open === undefined) return { call: Math.max(0, this.#calls - 1), isEnd: !goesOn };
    open.pieces.take(pieces);
    if (goesOn) return { call: open.call, arguments: '' };
    this.#open = undefined;
    return { call: open.call, name: open.name, arguments: JSON.stringify(open.pieces.value), isEnd: true };
  }
}

interface PartOfCall {
  /** Its place among the parts. */
  readonly at: number;
  /** The part as JSON. */
  readonly own: string;
  readonly part: JsonObject;
  readonly called: JsonObject;
}

/** Returns the parts with calls in a chunk. Most chunks have none. */
function callParts(text: string): readonly PartOfCall[] {
  if (!text.includes('"functionCall"') && !text.includes('"function_call"')) return [];
  return memberTexts(text, 'parts', CONTENT).flatMap((own, at) => {
    const part = parseObject(own);
    const called = part && callOf(part);
    return part === undefined || called === undefined ? [] : [{ at, own, part, called }];
  });
}

function argumentsIn(part: string): string | undefined {
  const span = spanAt(part, ['functionCall', 'args']) ?? spanAt(part, ['function_call', 'args']);
  return span && textOf(part, span);
}

/** Returns a part with another call. The rest of the part, such as its signature, stays. */
function writeCall(
  { own, part, called }: Omit<PartOfCall, 'at'>,
  { name, arguments: given }: PartChange,
): string {
  const isWhole = typeof name === 'string';
  const call = {
    ...(isWhole && { name: JSON.stringify(name) }),
    ...(given !== undefined && { args: parseObject(given) === undefined ? '{}' : given }),
    ...(isWhole && given !== undefined && { [keyOf(called, 'partialArgs')]: undefined }),
  };
  return withChangesAt(own, { call: [keyOf(part, 'functionCall')] }, { call });
}

/** Writes the calls of a model's content, or the names in its results. */
function writeElement(text: string, element: unknown, calls: CallWriter): string {
  if (!isJsonObject(element) || !Array.isArray(element.parts)) return text;
  const parts: readonly unknown[] = element.parts;
  return withElements(text, 'parts', (own, at) => {
    const part = parts[at];
    if (!isJsonObject(part)) return own;
    const [called, response] = [callOf(part), responseOf(part)];
    if (called !== undefined) return writeOwnCall({ own, part, called }, calls);
    return response === undefined ? own : renameResponse(own, { part, response }, calls);
  });
}

function writeOwnCall(part: Omit<PartOfCall, 'at'>, calls: CallWriter): string {
  const [id, name] = [textOrNone(part.called.id), textOrNone(part.called.name)];
  if (name === undefined) return part.own;
  const written = calls.write({ id, name, arguments: argumentsIn(part.own) ?? '' });
  return written === undefined ? part.own : writeCall(part, written);
}

function renameResponse(
  own: string,
  { part, response }: { readonly part: JsonObject; readonly response: JsonObject },
  calls: CallWriter,
): string {
  const name = textOrNone(response.name);
  const shown = name === undefined ? undefined : calls.nameOf(name, textOrNone(response.id));
  if (shown === undefined || shown === name) return own;
  const place = [keyOf(part, 'functionResponse')];
  return withChangesAt(own, { place }, { place: { name: JSON.stringify(shown) } });
}
