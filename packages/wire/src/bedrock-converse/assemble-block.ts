import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';

/**
 * Reassembles a content block from its start, which texts and thinking lack, and its deltas.
 *
 * Contract: for one block; deltas arrive in order.
 */
export class BlockAssembler {
  readonly #start: JsonObject;
  /** Pieces of the continued texts, by kind. */
  readonly #pieces = new Map<string, string[]>();
  readonly #lists = new Map<string, unknown[]>();
  #isReasoning = false;
  #signature: string | undefined;

  constructor(start: JsonObject) {
    this.#start = start;
  }

  /** Takes the `delta` of a `contentBlockDelta`. */
  add({ text, toolUse, reasoningContent, ...others }: JsonObject): void {
    this.#append('text', text);
    if (isJsonObject(toolUse)) this.#append('input', toolUse.input);
    if (isJsonObject(reasoningContent)) {
      const { text: thought, signature, redactedContent } = reasoningContent;
      this.#isReasoning = true;
      this.#append('thought', thought);
      this.#append('redacted', redactedContent);
      if (typeof signature === 'string') this.#signature = (this.#signature ?? '') + signature;
    }
    for (const [kind, value] of Object.entries(others)) {
      const list = this.#lists.get(kind) ?? [];
      list.push(...(Array.isArray(value) ? value : [value]));
      this.#lists.set(kind, list);
    }
  }

  /** The arguments of a call received so far, as JSON text from the model, which may be invalid. */
  get input(): string {
    return this.#joined('input');
  }

  /** Returns the block as JSON. Arguments that are not an object become an empty one. */
  finish(): string {
    const { toolUse, ...others } = this.#start;
    if (isJsonObject(toolUse)) {
      const input = isJsonObject(parseJson(this.input)) ? this.input : '{}';
      const { input: whole, ...head } = toolUse;
      const written = this.input === '' && isJsonObject(whole) ? JSON.stringify(whole) : input;
      // The model's own text keeps every digit.
      const members = Object.entries(head).map(
        ([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)},`,
      );
      return `{"toolUse":{${members.join('')}"input":${written}}}`;
    }
    if (this.#isReasoning) return JSON.stringify({ reasoningContent: this.#reasoning() });
    const [kind] = Object.keys(others);
    if (kind !== undefined) return JSON.stringify({ [kind]: this.#withLists(kind, others[kind]) });
    const text = this.#joined('text');
    const citations = this.#lists.get('citation');
    return JSON.stringify(
      citations === undefined ? { text } : { citationsContent: { content: [{ text }], citations } },
    );
  }

  #reasoning(): JsonObject {
    const redacted = this.#pieces.get('redacted');
    if (redacted !== undefined) {
      const bytes = redacted.map((piece) => Buffer.from(piece, 'base64'));
      return { redactedContent: Buffer.concat(bytes).toString('base64') };
    }
    const signature = this.#signature === undefined ? {} : { signature: this.#signature };
    return { reasoningText: { text: this.#joined('thought'), ...signature } };
  }

  /** Deltas carry the content of a provider tool's result, and the source of an image. */
  #withLists(kind: string, start: unknown): unknown {
    const list = this.#lists.get(kind);
    if (list === undefined || !isJsonObject(start)) return start;
    return kind === 'toolResult' ? { ...start, content: list } : Object.assign({}, start, ...list);
  }

  #append(kind: string, piece: unknown): void {
    if (typeof piece !== 'string') return;
    const pieces = this.#pieces.get(kind);
    if (pieces === undefined) this.#pieces.set(kind, [piece]);
    else pieces.push(piece);
  }

  #joined(kind: string): string {
    return this.#pieces.get(kind)?.join('') ?? '';
  }
}
