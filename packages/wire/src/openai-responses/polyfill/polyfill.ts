import { changeMembers, type Edit } from '@winnow/core';
import type { Polyfilled, ResponseRewriter } from '../../format/capabilities.ts';
import type { RequestView, ToolEntry } from '../../format/view.ts';
import { type StreamEvent, type WireEvent, withData } from '../../framing/framing.ts';
import { type ReadEvent, readEvent } from '../../joining/read-event.ts';
import { memberOf, withElements, withMember, withMembers } from '../../json/json-members.ts';
import { isJsonObject, type JsonObject, objectsIn, parseJson, textOrNone } from '../../json/json-value.ts';
import { type SectionEdit, writeRequest, writtenText } from '../../request/write-request.ts';
import { isNamespace } from '../read-request.ts';
import { ENDS, STARTS } from '../read-round.ts';
import {
  bringsTools,
  FlatNames,
  type FlatTool,
  flattenChoice,
  flattenHistory,
  flattenTools,
  isClientSearch,
  type QualifiedName,
} from './flat-request.ts';

/**
 * Rewrites the request of a client that defers tools itself, for a server that supports neither `namespace`
 * nor `tool_search` nor `defer_loading`; undefined for a request that uses none of them.
 *
 * The tools that the client's searches have loaded follow its declared tools, each once, in order of first
 * appearance. If the client runs a search, other deferred tools are left out until it loads them; otherwise
 * they are shown, because nothing could load them.
 */
export function polyfill(view: RequestView): Polyfilled | undefined {
  const { toolSection: section, history, body, purpose } = view;
  const declared: readonly unknown[] = Array.isArray(section?.value) ? section.value : [];
  const isSpecial =
    declared.some(isOfDeferral) || (section?.entries ?? []).some(isMarked) || history.some(isOfLoading);
  if (!isSpecial) return undefined;

  const lone = new Set([...declared, ...history.flatMap(toolsIn)].flatMap(loneName));
  const isLone = (name: string) => lone.has(name);
  const names = new FlatNames(lone);
  const own = section === undefined ? [] : flattenTools(section, names);
  const { items, loaded } = flattenHistory(view, names, isLone);
  const shown = declared.some(isClientSearch) ? own.filter(({ isDeferred }) => !isDeferred) : own;
  const tools = `[${[...shown, ...newOf(loaded, shown)].map(({ text }) => text).join(',')}]`;
  const choice = flattenChoice(body.tool_choice, names, isLone);
  return {
    body: writeRequest(view, [
      ...toolsEdit(view, tools),
      ...(items === undefined ? [] : historyEdit(view, items)),
      ...(choice === undefined ? [] : [{ ...view.spans.members.get('tool_choice')!, text: choice }]),
    ]),
    removedHeaders: [],
    rewriter: purpose === 'answer' ? () => createRewriter(view, names) : undefined,
  };
}

/** Returns the loaded tools that are not shown, each once. */
function newOf(loaded: readonly FlatTool[], shown: readonly FlatTool[]): FlatTool[] {
  const seen = new Set(shown.map(({ name }) => name));
  return loaded.filter(({ name }) => {
    if (name === undefined || seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}

function toolsEdit({ text, spans, toolSection }: RequestView, tools: string): (Edit | SectionEdit)[] {
  if (spans.tools !== undefined && toolSection !== undefined) {
    return tools === toolSection.text ? [] : [{ ...spans.tools, ...writtenText(tools) }];
  }
  return tools === '[]' ? [] : changeMembers(text, spans.root, { tools });
}

function historyEdit({ spans: { history } }: RequestView, items: readonly string[]): Edit[] {
  return [{ start: history[0]!.start, end: history.at(-1)!.end, text: items.join(',') }];
}

function isOfDeferral(tool: unknown): boolean {
  return isNamespace(tool) || (isJsonObject(tool) && tool.type === 'tool_search');
}

function isMarked({ definition }: ToolEntry): boolean {
  return isJsonObject(definition) && 'defer_loading' in definition;
}

/** Whether only an upstream with deferred tools accepts an item. */
function isOfLoading(item: unknown): boolean {
  if (!isJsonObject(item)) return false;
  const isCall = item.type === 'function_call' || item.type === 'custom_tool_call';
  return item.type === 'tool_search_call' || bringsTools(item) || (isCall && 'namespace' in item);
}

function toolsIn(item: unknown): readonly unknown[] {
  return isJsonObject(item) && bringsTools(item) ? objectsIn(item.tools) : [];
}

/** Returns the name of a tool outside all namespaces. */
function loneName(tool: unknown): string[] {
  if (!isJsonObject(tool) || isNamespace(tool)) return [];
  const name = textOrNone(tool.name);
  return name === undefined ? [] : [name];
}

/**
 * Restores the client's names in the response to a request with flat names: searches become
 * `tool_search_call`, and calls regain their namespace.
 */
function createRewriter(view: RequestView, names: FlatNames): ResponseRewriter {
  return new Rewriter(view, names);
}

/**
 * The most searches that may be open at once: models write one item at a time. Further searches keep their
 * deltas, which do no harm.
 */
const MAX_OPEN = 256;

class Rewriter implements ResponseRewriter {
  readonly #names: FlatNames;
  readonly #echoes: Readonly<Record<string, string | undefined>>;
  /** The output indexes of the searches that the model is writing. */
  readonly #searches = new Set<unknown>();
  /** The number of events that the client does not get; its sequence numbers have no gaps. */
  #dropped = 0;

  constructor({ toolSection, spans, text }: RequestView, names: FlatNames) {
    const choice = spans.members.get('tool_choice');
    this.#names = names;
    this.#echoes = {
      tools: toolSection?.text ?? '[]',
      tool_choice: choice && text.slice(choice.start, choice.end),
    };
  }

  rewrite(event: WireEvent): WireEvent | undefined {
    if (event.kind === 'whole') return { ...event, text: this.#whole(event.text) };
    if (event.kind !== 'event') return event;
    const read = readEvent(event.data);
    return read === undefined ? event : this.#event(event, read);
  }

  #whole(text: string): string {
    const body = parseJson(text);
    return isJsonObject(body) && Array.isArray(body.output) ? this.#response(text) : text;
  }

  #event(event: StreamEvent, read: ReadEvent): StreamEvent | undefined {
    if (this.#isOfSearch(read)) {
      this.#dropped += 1;
      return undefined;
    }
    return withData(event, this.#numbered(this.#data(read), read.body));
  }

  /**
   * Whether an event has a part of a search's arguments. The arguments of the vendor's search arrive whole,
   * without such events.
   */
  #isOfSearch({ type, body }: ReadEvent): boolean {
    return type.startsWith('response.function_call_arguments.') && this.#searches.has(body.output_index);
  }

  #data({ type, data, body }: ReadEvent): string {
    if (STARTS.has(type) || ENDS.has(type))
      return withMember(data, 'response', (text) => this.#response(text));
    if (type === 'response.function_call_arguments.done') {
      const name = this.#qualified(body)?.name;
      return name === undefined ? data : withMembers(data, { name: JSON.stringify(name) });
    }
    if (type === 'response.output_item.added') {
      if (this.#isSearch(body.item) && this.#searches.size < MAX_OPEN) this.#searches.add(body.output_index);
      return withMember(data, 'item', (text) => this.#item(text, body.item, '{}'));
    }
    if (type !== 'response.output_item.done') return data;
    this.#searches.delete(body.output_index);
    return withMember(data, 'item', (text) => this.#item(text, body.item));
  }

  #numbered(data: string, { sequence_number: number }: JsonObject): string {
    if (this.#dropped === 0 || typeof number !== 'number') return data;
    return withMembers(data, { sequence_number: String(number - this.#dropped) });
  }

  /**
   * Returns a response with its items rewritten, and with the client's own text for the parts that echo the
   * request.
   */
  #response(text: string): string {
    if (!text.startsWith('{')) return text;
    const changes: Record<string, string> = {};
    for (const [key, value] of Object.entries(this.#echoes)) {
      if (value !== undefined && memberOf(text, key) !== undefined) changes[key] = value;
    }
    const rewritten = withElements(text, 'output', (item) => this.#item(item, parseJson(item)));
    return withMembers(rewritten, changes);
  }

  #isSearch(item: unknown): boolean {
    return isJsonObject(item) && item.type === 'function_call' && this.#names.isSearch(item.name);
  }

  /** `given` replaces the arguments of an unfinished search. */
  #item(text: string, item: unknown, given?: string): string {
    if (!isJsonObject(item) || !text.startsWith('{')) return text;
    if (this.#isSearch(item)) {
      return withMembers(text, {
        type: '"tool_search_call"',
        ...(typeof item.id === 'string' && { id: JSON.stringify(item.id.replace(/^fc_/, 'tsc_')) }),
        execution: '"client"',
        arguments: given ?? objectIn(item.arguments, text),
        name: undefined,
      });
    }
    const isCall = item.type === 'function_call' || item.type === 'custom_tool_call';
    return isCall ? this.#renamed(text, item) : text;
  }

  /** Returns a call under the client's name for it. */
  #renamed(text: string, item: JsonObject): string {
    const qualified = this.#qualified(item);
    if (qualified === undefined) return text;
    return withMembers(text, {
      name: JSON.stringify(qualified.name),
      namespace: JSON.stringify(qualified.namespace),
    });
  }

  #qualified({ name }: JsonObject): QualifiedName | undefined {
    return typeof name === 'string' ? this.#names.qualify(name) : undefined;
  }
}

/** Returns arguments as an object, in the model's own JSON; `{}` when they are not an object. */
function objectIn(given: unknown, item: string): string {
  if (isJsonObject(given)) return memberOf(item, 'arguments') ?? '{}';
  return typeof given === 'string' && isJsonObject(parseJson(given)) ? given.trim() : '{}';
}
