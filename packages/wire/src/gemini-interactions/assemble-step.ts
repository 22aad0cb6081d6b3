import { withMembers } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, objectsIn } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';

/**
 * Reassembles a streamed step into the shape of a whole response: adjacent texts are one content, the pieces
 * of arguments form one object, and the output of a provider's tool becomes members of the step.
 *
 * Contract: for one step and one caller; `take` is called with each of its deltas, in order.
 */
export class StepAssembler {
  readonly #start: string;
  readonly #read: JsonObject;
  /** Members from deltas. */
  readonly #brought: Record<string, unknown> = {};
  /** The model's output, or the summary of a thought; undefined before the first delta with content. */
  #contents: JsonObject[] | undefined;
  #arguments = '';

  /** `start` is the step in its first event as JSON, `read` the same step parsed. */
  constructor(start: string, read: JsonObject) {
    this.#start = start;
    this.#read = read;
  }

  /** Takes a delta. */
  take(delta: JsonObject): void {
    switch (delta.type) {
      case 'arguments_delta':
        if (typeof delta.arguments === 'string') this.#arguments += delta.arguments;
        return;
      case 'thought_signature':
        this.#brought.signature = delta.signature;
        return;
      case 'thought_summary':
        if (isJsonObject(delta.content)) this.#add('summary', delta.content);
        return;
      case 'text':
      case 'image':
      case 'audio':
      case 'document':
      case 'video':
        this.#add('content', delta);
        return;
      case 'text_annotation':
      case 'text_annotation_delta':
        this.#annotate(delta.annotations);
        return;
      default:
        this.#merge(delta);
    }
  }

  /** The step received so far, as JSON. Arguments that are not JSON stay as they were at the step's start. */
  get text(): string {
    const list = this.#read.type === 'thought' ? 'summary' : 'content';
    const spelt = isJsonObject(parseJson(this.#arguments)) ? this.#arguments : undefined;
    const brought = Object.entries(this.#brought).map(([key, value]) => [key, JSON.stringify(value)]);
    return withMembers(this.#start, {
      // A signature that is not yet known is sent as an empty one.
      ...(this.#read.signature === '' && { signature: undefined }),
      ...(Object.fromEntries(brought) as Record<string, string>),
      ...(this.#contents !== undefined && { [list]: JSON.stringify(this.#contents) }),
      ...(spelt !== undefined && { arguments: spelt }),
    });
  }

  /** The arguments of a call: their text, or the object from the step's start. */
  get arguments(): unknown {
    return this.#arguments === '' ? this.#read.arguments : this.#arguments;
  }

  #add(list: 'summary' | 'content', content: JsonObject): void {
    this.#contents ??= objectsIn(this.#read[list]);
    const last = this.#contents.at(-1);
    const isMore = isPlainText(content) && last !== undefined && isPlainText(last);
    if (isMore) this.#contents[this.#contents.length - 1] = { ...last, text: last.text + content.text };
    else this.#contents.push(content);
  }

  #annotate(annotations: unknown): void {
    this.#contents ??= objectsIn(this.#read.content);
    const at = this.#contents.findLastIndex(({ type }) => type === 'text');
    const text = this.#contents[at];
    if (text === undefined) return;
    this.#contents[at] = { ...text, annotations: [...listOf(text.annotations), ...listOf(annotations)] };
  }

  #merge({ type, ...members }: JsonObject): void {
    for (const [key, value] of Object.entries(members)) {
      const known = this.#brought[key] ?? this.#read[key];
      this.#brought[key] = Array.isArray(known) && Array.isArray(value) ? [...known, ...value] : value;
    }
  }
}

/** Whether more text may be appended to a content. */
function isPlainText(content: JsonObject): content is { readonly text: string } {
  return content.type === 'text' && typeof content.text === 'string' && content.annotations === undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
