import { textOf } from '@winnow/core';
import type { CallEvent, CallEvents, CallPart, PartChange, PartChanges } from '../bridge/call-events.ts';
import type { BridgeDialect, CallWriter } from '../bridge/call-writer.ts';
import { eventText, withText } from '../framing/framing.ts';
import { readDataFirst } from '../joining/read-event.ts';
import {
  memberTexts,
  parseObject,
  spanAt,
  withChangesAt,
  withElements,
  withMembers,
} from '../json/json-members.ts';
import { isJsonObject, type JsonObject, textOrNone } from '../json/json-value.ts';
import { calledName } from './read-request.ts';

const CALL = { called: ['function'] } as const;

/** Bridge mode in Ollama's chat. */
export const bridgeDialect: BridgeDialect = {
  readCalls: () => new OllamaCalls(),
  parametersOf: (definition) =>
    isJsonObject(definition) && isJsonObject(definition.function)
      ? definition.function.parameters
      : undefined,
  writeElement,
};

/** Reads the calls in a line of a stream, or in a whole response: each is complete. */
class OllamaCalls implements CallEvents {
  #calls = 0;

  partsOf(event: CallEvent): readonly CallPart[] {
    return callTexts(eventText(event)).map((entry) => {
      const call = this.#calls;
      this.#calls += 1;
      const read = parseObject(entry) ?? {};
      return { call, name: textOrNone(calledName(read)), arguments: argumentsIn(entry), isEnd: true };
    });
  }

  endsCalls(event: CallEvent): boolean {
    const line = event.kind === 'whole' ? undefined : readDataFirst(event);
    return line === undefined || line.done === true || line.error !== undefined;
  }

  rewrite(event: CallEvent, changes: PartChanges): CallEvent | undefined {
    const text = eventText(event);
    const kept = callTexts(text).flatMap((entry, at) => {
      const change = changes[at];
      return change === 'drop' ? [] : [change === undefined ? entry : changeCall(entry, change)];
    });
    const calls = kept.length === 0 ? undefined : `[${kept.join(',')}]`;
    const written = withChangesAt(text, { message: ['message'] }, { message: { tool_calls: calls } });
    return withText(event, written);
  }
}

/** Returns the calls in a line. Most lines have none. */
function callTexts(text: string): readonly string[] {
  return text.includes('"tool_calls"') ? memberTexts(text, 'tool_calls', ['message']) : [];
}

function argumentsIn(entry: string): string | undefined {
  const span = spanAt(entry, ['function', 'arguments']);
  return span && textOf(entry, span);
}

function changeCall(entry: string, { name, arguments: given }: PartChange): string {
  return withChangesAt(entry, CALL, {
    called: {
      ...(typeof name === 'string' && { name: JSON.stringify(name) }),
      ...(given !== undefined && { arguments: parseObject(given) === undefined ? '{}' : given }),
    },
  });
}

/** Writes the calls of an assistant's message, or the name in a result. */
function writeElement(text: string, element: unknown, calls: CallWriter): string {
  if (!isJsonObject(element)) return text;
  const { role, tool_name: name, tool_call_id: id } = element;
  if (role === 'tool' && typeof name === 'string') {
    const shown = calls.nameOf(name, textOrNone(id));
    return shown === name ? text : withMembers(text, { tool_name: JSON.stringify(shown) });
  }
  if (!Array.isArray(element.tool_calls)) return text;
  return withElements(text, 'tool_calls', (entry) => writeCall(entry, calls));
}

function writeCall(entry: string, calls: CallWriter): string {
  const call: JsonObject = parseObject(entry) ?? {};
  const name = calledName(call);
  if (name === '') return entry;
  const written = calls.write({ id: textOrNone(call.id), name, arguments: argumentsIn(entry) ?? '' });
  return written === undefined ? entry : changeCall(entry, written);
}
