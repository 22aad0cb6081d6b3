import {
  changeMembers,
  type Edit,
  elementsOf,
  endOfArray,
  type MemberChanges,
  memberSpan,
  membersOf,
  type Span,
  splice,
  textOf,
  valueSpan,
  valueStart,
} from '@winnow/core';
import type { CallEvent, CallEvents, CallPart, PartChange, PartChanges } from '../bridge/call-events.ts';
import type { BridgeDialect, CallWriter } from '../bridge/call-writer.ts';
import { eventText, withText } from '../framing/framing.ts';
import { readDataFirst } from '../joining/read-event.ts';
import { memberTexts, spanAt, withChangesAt, withMembers } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, objectsIn, textOrNone } from '../json/json-value.ts';
import { CHUNK, calledArguments, calledName, deltaOf, hasNews } from './messages.ts';
import { CallTracker, TrackedCall } from './read-round.ts';

const MARK = '"tool_calls"';

/** Bridge mode in Chat Completions. */
export const bridgeDialect: BridgeDialect = {
  mark: MARK,
  readCalls: () => new ChatCallEvents(),
  parametersOf: (definition) =>
    isJsonObject(definition) && isJsonObject(definition.function)
      ? definition.function.parameters
      : undefined,
  writeElement,
};

/** Reads the calls in chunks, or in a whole response. */
class ChatCallEvents implements CallEvents {
  readonly #tracker = new CallTracker((ordinal) => new TrackedCall(ordinal));

  partsOf(event: CallEvent): readonly CallPart[] {
    const text = eventText(event);
    // Most events of a stream have no calls.
    if (!text.includes(MARK)) return NO_PARTS;
    const isWhole = event.kind === 'whole';
    return callsIn(readDataFirst(event), isWhole).map((part, at) => {
      const textOfCall = () => callTexts(text, isWhole)[at] ?? '';
      // In a whole response, each entry is a call, whatever its index.
      return { ...this.#read(isWhole ? { ...part, index: at } : part, textOfCall), isEnd: isWhole };
    });
  }

  endsCalls(event: CallEvent): boolean {
    if (event.kind === 'whole') return true;
    // Most events are in the middle of a call, and are not parsed once more.
    if (!MAY_END.test(event.data)) return false;
    const chunk = readDataFirst(event);
    if (chunk === undefined) return event.data.trim() === '[DONE]';
    const choice = objectsIn(chunk.choices)[0];
    return isJsonObject(chunk.error) || textOrNone(choice?.finish_reason) !== undefined;
  }

  rewrite(event: CallEvent, changes: PartChanges): CallEvent | undefined {
    const isWhole = event.kind === 'whole';
    const text = eventText(event);
    const read = readDataFirst(event) ?? {};
    const calls = callsIn(read, isWhole);
    const entries = callTexts(text, isWhole).flatMap((entry, at) => {
      const change = changes[at];
      if (change === undefined || change === 'drop') return change === 'drop' ? [] : [entry];
      const call = calls[at]!;
      return [splice(entry, [...changesIn(entry, 0, { call, change }), ...idWithName(entry, call, change)])];
    });
    if (entries.length === 0 && isEmptyWithoutCalls(read)) return undefined;
    const shown = { tool_calls: entries.length === 0 ? undefined : `[${entries.join(',')}]` };
    const written = withChangesAt(text, CHUNK, {
      choice: withoutTokens(read),
      [isWhole ? 'message' : 'delta']: shown,
    });
    return withText(event, written);
  }

  #read(part: JsonObject, text: () => string): CallPart {
    const call = this.#tracker.callOf(part);
    call.addPart(part);
    if (typeof part.id === 'string') this.#tracker.noteId(call, part.id);
    return { call: call.ordinal, name: textOrNone(calledName(part)), arguments: argumentsOf(part, text) };
  }
}

const NO_PARTS: readonly CallPart[] = [];

const MAY_END = /"finish_reason"\s*:\s*"|"error"|\[DONE\]/;

/** Returns the calls of the first choice; one that is not an object counts as empty. */
function callsIn(response: JsonObject | undefined, isWhole: boolean): JsonObject[] {
  const choice = objectsIn(response?.choices)[0];
  const said = isWhole ? choice?.message : choice?.delta;
  const calls: unknown = isJsonObject(said) ? said.tool_calls : undefined;
  return Array.isArray(calls) ? calls.map((call) => (isJsonObject(call) ? call : {})) : [];
}

function callTexts(text: string, isWhole: boolean): string[] {
  return memberTexts(text, 'tool_calls', isWhole ? CHUNK.message : CHUNK.delta);
}

/** Returns the arguments in a part as JSON text: some servers send an object. */
function argumentsOf(part: JsonObject, textOfPart: () => string): string | undefined {
  const given = calledArguments(part);
  if (typeof given === 'string') return given === '' ? undefined : given;
  if (!isJsonObject(given)) return undefined;
  const text = textOfPart();
  const span = spanAt(text, ['function', 'arguments']);
  return span && textOf(text, span);
}

/** Returns the edits that change a call, which begins at `start`. */
function changesIn(
  text: string,
  start: number,
  { call, change: { name, arguments: given } }: { readonly call: JsonObject; readonly change: PartChange },
): Edit[] {
  const span = isJsonObject(call.function) ? memberSpan(text, start, 'function') : undefined;
  if (span === undefined) return [];
  const isObject = isJsonObject(calledArguments(call));
  const changes: MemberChanges = {
    ...(name !== undefined && { name: name === null ? undefined : JSON.stringify(name) }),
    ...(given !== undefined && { arguments: isObject ? given : JSON.stringify(given) }),
  };
  return changeMembers(text, span, changes);
}

/** Returns the edit of an id that the server has built from the name, as Kimi's does: `functions.NAME:0`. */
function idWithName(entry: string, call: JsonObject, { name }: PartChange): Edit[] {
  const { id } = call;
  const own = calledName(call);
  const span = memberSpan(entry, 0, 'id');
  if (!name || own === '' || span === undefined || typeof id !== 'string' || !id.includes(own)) return [];
  return [{ ...span, text: JSON.stringify(id.replace(own, name)) }];
}

/** Whether a chunk says nothing but its calls. */
function isEmptyWithoutCalls(chunk: JsonObject): boolean {
  const delta = deltaOf(chunk);
  const isEnd = textOrNone(objectsIn(chunk.choices)[0]?.finish_reason) !== undefined;
  return !isEnd && !hasNews(delta) && delta.role === undefined && !isJsonObject(chunk.usage);
}

/** Returns the change that removes token probabilities, which spell out the bridge call. */
function withoutTokens(chunk: JsonObject): MemberChanges {
  return objectsIn(chunk.choices)[0]?.logprobs ? { logprobs: 'null' } : {};
}

/** Writes the calls of an assistant's message, or the name in a result. */
function writeElement(text: string, element: unknown, calls: CallWriter): string {
  if (!isJsonObject(element)) return text;
  const { role, name, tool_call_id: callId } = element;
  if (role === 'tool' && typeof name === 'string') {
    const shown = calls.nameOf(name, textOrNone(callId));
    return shown === name ? text : withMembers(text, { name: JSON.stringify(shown) });
  }
  if (!Array.isArray(element.tool_calls) || element.tool_calls.length === 0) return text;
  const given: readonly unknown[] = element.tool_calls;
  const edits = elementsIn(text, 'tool_calls').flatMap((entry, at) =>
    writeCall(text, entry, { call: given[at], calls }),
  );
  return edits.length === 0 ? text : splice(text, edits);
}

/** Returns the elements of a list member, found in the same pass as the member. */
function elementsIn(text: string, key: string): readonly Span[] {
  let elements: Span[] = [];
  membersOf(text, valueStart(text), (name, start) => {
    if (name !== key || text[start] !== '[') return valueSpan(text, start).end;
    elements = elementsOf(text, start);
    return endOfArray(text, start, elements);
  });
  return elements;
}

function writeCall(
  text: string,
  entry: Span,
  { call, calls }: { readonly call: unknown; readonly calls: CallWriter },
) {
  const name = isJsonObject(call) && isJsonObject(call.function) ? calledName(call) : '';
  if (name === '' || !isJsonObject(call)) return [];
  const given = argumentsOf(call, () => textOf(text, entry)) ?? '';
  const written = calls.write({ id: textOrNone(call.id), name, arguments: given });
  return written === undefined ? [] : changesIn(text, entry.start, { call, change: written });
}
