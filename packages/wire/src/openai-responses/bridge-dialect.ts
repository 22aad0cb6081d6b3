import type { MemberChanges } from '@winnow/core';
import type { CallEvent, CallEvents, CallPart, PartChange, PartChanges } from '../bridge/call-events.ts';
import type { BridgeDialect, CallWriter } from '../bridge/call-writer.ts';
import type { ToolSection } from '../format/view.ts';
import { eventText, withData } from '../framing/framing.ts';
import { readDataFirst } from '../joining/read-event.ts';
import { memberOf, parseObject, withElements, withMember, withMembers } from '../json/json-members.ts';
import { isJsonObject, type JsonObject } from '../json/json-value.ts';
import { calledName, isFunctionCall, isNamespace } from './read-request.ts';
import { ENDS, isDirect } from './read-round.ts';

/** Bridge mode in Responses. */
export const bridgeDialect: BridgeDialect = {
  readCalls: ({ section }) => new ResponsesCalls(section),
  parametersOf: (definition) => (isJsonObject(definition) ? definition.parameters : undefined),
  writeElement,
};

const NO_PARTS: readonly CallPart[] = [];

/** Reads the calls in the items of a response. Later events repeat them whole. */
class ResponsesCalls implements CallEvents {
  readonly #section: ToolSection | undefined;
  /** The names of the tools in bridge calls, by the number of the item. */
  readonly #names = new Map<number, string>();

  constructor(section: ToolSection | undefined) {
    this.#section = section;
  }

  partsOf(event: CallEvent): readonly CallPart[] {
    const text = eventText(event);
    // Most events of a stream have no calls.
    if (!text.includes('function_call')) return NO_PARTS;
    const read = readDataFirst(event);
    if (read === undefined) return NO_PARTS;
    if (event.kind === 'whole') return itemsIn(read).map(wholeItem);
    const { type, output_index: call } = read;
    if (ENDS.has(String(type)))
      return isJsonObject(read.response) ? itemsIn(read.response).map(wholeItem) : NO_PARTS;
    return typeof call === 'number' ? partIn(read, call) : NO_PARTS;
  }

  endsCalls(event: CallEvent): boolean {
    if (event.kind === 'whole') return true;
    const type = readDataFirst(event)?.type;
    return ENDS.has(String(type)) || type === 'error';
  }

  rewrite(event: CallEvent, changes: PartChanges): CallEvent {
    if (event.kind === 'whole') return { ...event, text: this.#writeOutput(event.text, changes) };
    const read = readDataFirst(event) ?? {};
    return withData(event, this.#writeEvent(event.data, read, changes));
  }

  #writeEvent(data: string, read: JsonObject, changes: PartChanges): string {
    if (ENDS.has(String(read.type))) {
      return withMember(data, 'response', (response) => this.#writeOutput(response, changes));
    }
    const [change] = changes;
    if (change === undefined) return data;
    // Events are numbered, so a piece without anything for the client stays as an empty one.
    if (change === 'drop') return withMembers(data, { delta: '""' });
    if (isJsonObject(read.item)) {
      const call = read.output_index as number;
      return withMember(data, 'item', (item) => withMembers(item, this.#changesOf(call, change)));
    }
    const member = read.type === 'response.function_call_arguments.delta' ? 'delta' : 'arguments';
    const name = typeof read.name === 'string' ? this.#names.get(read.output_index as number) : undefined;
    return withMembers(data, {
      ...(change.arguments !== undefined && { [member]: JSON.stringify(change.arguments) }),
      ...(name !== undefined && { name: JSON.stringify(this.#named(name).name) }),
    });
  }

  #writeOutput(response: string, changes: PartChanges): string {
    const calls = itemsIn(parseObject(response) ?? {});
    const changeAt = new Map(calls.map(({ index }, at) => [index, changes[at]]));
    return withElements(response, 'output', (item, index) => {
      const change = changeAt.get(index);
      if (change === 'drop') return undefined;
      return change === undefined ? item : withMembers(item, this.#changesOf(index, change));
    });
  }

  /** Returns the changes of an item. A repeated name is the one that was written first. */
  #changesOf(call: number, { name, arguments: given }: PartChange): MemberChanges {
    if (typeof name === 'string') this.#names.set(call, name);
    const own = name === undefined ? undefined : this.#named(this.#names.get(call) ?? '');
    return {
      ...(own && { name: JSON.stringify(own.name) }),
      ...(own && { namespace: own.namespace === undefined ? undefined : JSON.stringify(own.namespace) }),
      ...(given !== undefined && { arguments: JSON.stringify(given) }),
    };
  }

  /** Returns the name of a function as its call has it: apart from its namespace. */
  #named(name: string): { readonly name: string; readonly namespace?: string } {
    const place = this.#section?.entries.find((entry) => entry.name === name)?.list.path[0];
    const holder = place === undefined ? undefined : (this.#section!.value as JsonObject[])[Number(place)];
    if (!isNamespace(holder)) return { name };
    return { namespace: holder.name, name: name.slice(holder.name.length + 1) };
  }
}

/** A call in a list of items. */
interface ItemCall {
  readonly index: number;
  readonly item: JsonObject;
}

function itemsIn({ output }: JsonObject): readonly ItemCall[] {
  if (!Array.isArray(output)) return [];
  return output.flatMap((item: unknown, index) =>
    isJsonObject(item) && isFunctionCall(item) && isDirect(item) ? [{ index, item }] : [],
  );
}

function wholeItem({ index, item }: ItemCall): CallPart {
  return {
    call: index,
    name: calledName(item),
    arguments: textIn(item.arguments),
    isWhole: true,
    isEnd: true,
  };
}

function partIn(read: JsonObject, call: number): readonly CallPart[] {
  switch (read.type) {
    case 'response.output_item.added':
    case 'response.output_item.done': {
      const { item } = read;
      if (!isJsonObject(item) || !isFunctionCall(item) || !isDirect(item)) return NO_PARTS;
      if (read.type === 'response.output_item.done') return [wholeItem({ index: call, item })];
      return [{ call, name: calledName(item), arguments: textIn(item.arguments) }];
    }
    case 'response.function_call_arguments.delta':
      return [{ call, arguments: textIn(read.delta) ?? '' }];
    case 'response.function_call_arguments.done':
      return [{ call, arguments: textIn(read.arguments), isWhole: true, isEnd: true }];
    default:
      return NO_PARTS;
  }
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Writes a call of the history as the provider knows it. */
function writeElement(text: string, element: unknown, calls: CallWriter): string {
  if (!isJsonObject(element) || !isFunctionCall(element) || !isDirect(element)) return text;
  const given = textIn(element.arguments) ?? '';
  const written = calls.write({ id: String(element.call_id), name: calledName(element), arguments: given });
  if (written === undefined) return text;
  return withMembers(text, {
    name: JSON.stringify(written.name),
    arguments: JSON.stringify(written.arguments),
    ...(memberOf(text, 'namespace') !== undefined && { namespace: undefined }),
  });
}
