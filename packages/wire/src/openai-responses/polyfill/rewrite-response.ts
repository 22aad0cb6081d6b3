import type { ResponseRewriter } from '../../format/polyfilled.ts';
import type { RequestView } from '../../format/view.ts';
import { type StreamEvent, type WireEvent, withData } from '../../framing/wire-event.ts';
import { type ReadEvent, readEvent } from '../../joining/read-event.ts';
import { memberOf, withElements, withMember, withMembers } from '../../json/json-members.ts';
import { isJsonObject, type JsonObject } from '../../json/json-splice.ts';
import { parseJson } from '../../json/parse-json.ts';
import { ENDS, STARTS } from '../response-events.ts';
import type { FlatNames, QualifiedName } from './flat-names.ts';

/**
 * Restores the client's names in the response to a request with flat names: searches become
 * `tool_search_call`, and calls regain their namespace.
 */
export function createRewriter(view: RequestView, names: FlatNames): ResponseRewriter {
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
