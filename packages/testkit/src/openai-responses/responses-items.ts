import type { CompleteAnswer, CompletePart, IdentifiedCall } from '../upstream/complete-answer.ts';
import type { JsonObject } from '../upstream/json-object.ts';
import { objectsOf } from '../upstream/json-object.ts';
import { isNamespace, toolNameOf } from './responses-tools.ts';

/** The name of a gateway's search tool. A model with the vendor's own tool search uses that instead. */
const SEARCH_TOOL = 'gateway_search_tools';

/** A part of a response that becomes an item. */
export type ItemPart = Exclude<
  CompletePart,
  { readonly type: 'wait' | 'comment' | 'ping' | 'error' | 'end' | 'destroy' | 'bytes' }
>;

/** Whether a part becomes an item. */
export function isItemPart(part: CompletePart): part is ItemPart {
  return part.type === 'text' || part.type === 'thinking' || part.type === 'call' || part.type === 'block';
}

/** An item of a response before it has content. */
export interface ItemStart {
  readonly part: ItemPart;
  /** Undefined for a block, which is an item that the script defines. */
  readonly kind: 'message' | 'reasoning' | 'function_call' | 'tool_search_call' | undefined;
  readonly id: string;
  /** Members that the item has from its start. */
  readonly members: JsonObject;
}

/**
 * Returns the items of a response, in order. If reasoning led to an item, the item's id tells, so that a
 * history can be judged by itself. Ids of messages derive from what the client has seen, unless the response
 * searches.
 */
export function itemsOfAnswer({ id, parts }: CompleteAnswer, body: JsonObject): ItemStart[] {
  const items = parts.filter(isItemPart);
  const hasSearch = items.some((part) => part.type === 'call' && part.name === SEARCH_TOOL);
  const mark = id.replace(/^resp_/, '');
  const seen = hasSearch ? mark : mark.replace(/r\d+$/, '');
  return items.map((part, position): ItemStart => {
    const isThought = items[position - 1]?.type === 'thinking';
    const of = isThought ? 't' : 'n';
    switch (part.type) {
      case 'text':
        return { part, kind: 'message', id: `msg_${of}${seen}x${position}`, members: { role: 'assistant' } };
      case 'thinking':
        return { part, kind: 'reasoning', id: `rs_${mark}x${position}`, members: { summary: [] } };
      case 'call':
        return startCall(part, of, body);
      default:
        return { part, kind: undefined, id: String(part.block.id), members: part.block };
    }
  });
}

function startCall(part: IdentifiedCall, of: string, body: JsonObject): ItemStart {
  const tail = part.id.replace(/^call_/, '');
  const tools = objectsOf(body.tools);
  const isNative = part.name === SEARCH_TOOL && tools.some(({ type }) => type === 'tool_search');
  if (isNative) {
    const members = { call_id: part.id, execution: 'client', ...part.fields };
    return { part, kind: 'tool_search_call', id: `tsc_${of}${tail}`, members };
  }
  return {
    part,
    kind: 'function_call',
    id: `fc_${of}${tail}`,
    members: { call_id: part.id, ...calledIn(part.name, body), ...part.fields },
  };
}

/**
 * Splits a function's name from its namespace. A function that a search loaded on its own is in a namespace
 * of the same name.
 */
function calledIn(name: string, body: JsonObject): JsonObject {
  const declared = objectsOf(body.tools);
  if (declared.some((tool) => toolNameOf(tool) === name)) return { name };
  const loaded = objectsOf(body.input).flatMap(({ type, tools }) =>
    type === 'tool_search_output' ? objectsOf(tools) : [],
  );
  if (loaded.some((tool) => toolNameOf(tool) === name)) return { name, namespace: name };
  const space = [...declared, ...loaded]
    .filter(isNamespace)
    .find((one) => objectsOf(one.tools).some((tool) => `${one.name}.${tool.name}` === name));
  return space === undefined
    ? { name }
    : { name: name.slice(String(space.name).length + 1), namespace: space.name };
}
