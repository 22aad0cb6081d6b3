import type { BridgeDialect } from '../bridge/bridge-dialect.ts';
import {
  type CallEvent,
  type CallEvents,
  type CallPart,
  type PartChange,
  type PartChanges,
  withText,
} from '../bridge/call-events.ts';
import type { CallWriter } from '../bridge/call-writer.ts';
import { eventText } from '../framing/wire-event.ts';
import { readDataFirst } from '../joining/read-data.ts';
import { parseObject, spanAt, withMembers } from '../json/json-members.ts';
import {
  elementsOf,
  isJsonObject,
  type JsonObject,
  memberSpan,
  type Span,
  splice,
  textOf,
  textOrNone,
} from '../json/json-splice.ts';
import { CallArguments } from './call-arguments.ts';
import { fieldOf, keyOf } from './field-of.ts';
import { callOf, responseOf } from './read-contents.ts';

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
    const text = eventText(event);
    return callParts(text).map(({ called, span }) => this.#read(text, called, span));
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
    const parts = callParts(text);
    const edits = parts.flatMap(({ span, called, part }, at) => {
      const change = changes[at];
      if (change === undefined || change === 'drop') return [];
      const own = textOf(text, span);
      return [{ ...span, text: writeCall(own, part, called, change) }];
    });
    const dropped = parts.filter((_, at) => changes[at] === 'drop').map(({ span }) => span);
    const written = withoutParts(text, edits, dropped);
    return withText(event, written);
  }

  #read(text: string, called: JsonObject, span: Span): CallPart {
    const pieces = fieldOf(called, 'partialArgs');
    const goesOn = fieldOf(called, 'willContinue') === true;
    const name = textOrNone(called.name);
    if (name !== undefined) {
      const call = this.#calls;
      this.#calls += 1;
      if (!goesOn || name !== this.#bridgeTool)
        return { call, name, arguments: argumentsIn(text, span), isEnd: !goesOn };
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

/** A part with a call, and its place. */
interface PartOfCall {
  readonly part: JsonObject;
  readonly called: JsonObject;
  readonly span: Span;
}

/** Returns the parts with calls in a chunk. Most chunks have none. */
function callParts(text: string): readonly PartOfCall[] {
  if (!text.includes('"functionCall"') && !text.includes('"function_call"')) return [];
  const content = spanAt(text, CONTENT);
  return content === undefined ? [] : callPartsAt(text, content, callOf);
}

function callPartsAt(
  text: string,
  content: Span,
  calledIn: (part: JsonObject) => JsonObject | undefined,
): readonly PartOfCall[] {
  const list = memberSpan(text, content.start, 'parts');
  if (list === undefined) return [];
  return elementsOf(text, list.start).flatMap((span) => {
    const part = parseObject(textOf(text, span));
    const called = part && calledIn(part);
    return part === undefined || called === undefined ? [] : [{ part, called, span }];
  });
}

function argumentsIn(text: string, part: Span): string | undefined {
  const own = textOf(text, part);
  const span = spanAt(own, ['functionCall', 'args']) ?? spanAt(own, ['function_call', 'args']);
  return span && textOf(own, span);
}

/** Returns a part with another call. The rest of the part, such as its signature, stays. */
function writeCall(own: string, part: JsonObject, called: JsonObject, change: PartChange): string {
  const { name, arguments: given } = change;
  if (name === undefined && given === undefined) return own;
  const key = keyOf(part, 'functionCall');
  const span = spanAt(own, [key]);
  if (span === undefined) return own;
  const isWhole = typeof name === 'string';
  const text = withMembers(textOf(own, span), {
    ...(isWhole && { name: JSON.stringify(name) }),
    ...(given !== undefined && { args: parseObject(given) === undefined ? '{}' : given }),
    ...(isWhole && given !== undefined && { [keyOf(called, 'partialArgs')]: undefined }),
  });
  return splice(own, [{ ...span, text }]);
}

/** Returns the chunk with changed parts, and without those that are dropped. */
function withoutParts(
  text: string,
  edits: readonly { readonly start: number; readonly end: number; readonly text: string }[],
  dropped: readonly Span[],
): string {
  if (dropped.length === 0) return splice(text, edits);
  const content = spanAt(text, CONTENT)!;
  const list = memberSpan(text, content.start, 'parts')!;
  const isDropped = new Set(dropped.map(({ start }) => start));
  const kept = elementsOf(text, list.start).flatMap((span) => {
    if (isDropped.has(span.start)) return [];
    return [edits.find(({ start }) => start === span.start)?.text ?? textOf(text, span)];
  });
  return splice(text, [{ ...list, text: `[${kept.join(',')}]` }]);
}

/** Writes the calls of a model's content, or the names in its results. */
function writeElement(text: string, element: unknown, calls: CallWriter): string {
  if (!isJsonObject(element) || !Array.isArray(element.parts)) return text;
  const content = { start: spanAt(text, [])?.start ?? 0, end: text.length };
  const called = callPartsAt(text, content, callOf).flatMap(({ part, called: call, span }) => {
    const name = textOrNone(call.name);
    const own = textOf(text, span);
    const given = argumentsIn(text, span) ?? '';
    const id = textOrNone(call.id);
    const written = name === undefined ? undefined : calls.write({ id, name, arguments: given });
    return written === undefined ? [] : [{ ...span, text: writeCall(own, part, call, written) }];
  });
  const answered = callPartsAt(text, content, responseOf).flatMap(({ part, called: response, span }) => {
    const name = textOrNone(response.name);
    const shown = name === undefined ? undefined : calls.nameOf(name, textOrNone(response.id));
    if (shown === undefined || shown === name) return [];
    const own = textOf(text, span);
    const place = spanAt(own, [keyOf(part, 'functionResponse')])!;
    const renamed = withMembers(textOf(own, place), { name: JSON.stringify(shown) });
    return [{ ...span, text: splice(own, [{ ...place, text: renamed }]) }];
  });
  const edits = [...called, ...answered];
  return edits.length === 0 ? text : splice(text, edits);
}
