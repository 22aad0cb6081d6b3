import { type StreamEvent, withData } from '../framing/framing.ts';
import { isJsonObject, type JsonObject, parseJson } from '../json/json-splice.ts';

/** A chunk that adds text and nothing else: what stands around its text, and around the text for the client. */
interface TextChunk {
  readonly state: object;
  readonly name: string | undefined;
  readonly around: readonly string[];
  readonly shownAround: readonly string[];
}

/** A chunk that differs from the one before only in its texts. */
interface RepeatedChunk {
  /** The text that it adds to the content. */
  readonly text: string;
  /** Characters that fill it up; empty if there are none. */
  readonly filler: string;
  /** The chunk for the client. */
  readonly shown: StreamEvent;
}

/** Texts that differ from chunk to chunk. OpenAI fills each chunk up with characters of its own. */
const VARYING = /"(?:content|obfuscation)"\s*:\s*"/g;

const CONTENT = /"content"\s*:\s*"$/;

/** Characters that a JSON string escapes. */
const ESCAPED = /["\\]|[^ -\uffff]/;

/** Chunks of which none repeats the one before, after which a stream counts as one whose chunks all differ. */
const MOST_MISSES = 16;

/**
 * The chunks of a stream that differ only in the text that they add: nearly all. One is parsed and edited; from
 * then on, texts are taken from between the same parts, as long as the state that decides the edits stays the same.
 *
 * Contract: for one response. Every chunk that is not a repetition is forgotten or learnt from.
 */
export class RepeatedChunks {
  #last: TextChunk | undefined;
  #misses = 0;

  /** Returns a chunk that repeats the last one except for its texts; undefined for any other. */
  read(state: object, event: StreamEvent): RepeatedChunk | undefined {
    const last = this.#last;
    if (last?.state !== state || last.name !== event.name || event.isError) return undefined;
    const [content, filler = ''] = textsBetween(event.data, last.around) ?? [];
    if (!content) return undefined;
    const text = ESCAPED.test(content) ? parseJson(`"${content}"`) : content;
    if (typeof text !== 'string' || ESCAPED.test(filler)) return undefined;
    this.#misses = 0;
    const [head, middle, tail = ''] = last.shownAround;
    const isSame = last.shownAround === last.around;
    return { text, filler, shown: isSame ? event : withData(event, head + content + middle + filler + tail) };
  }

  forget(): void {
    this.#last = undefined;
  }

  /** Learns from a chunk that has left the state as it was, and from what the client gets in its place. */
  learn(state: object, { name, data, isError }: StreamEvent, chunk: JsonObject, shown: StreamEvent): void {
    if (isError || !addsOnlyText(chunk) || ++this.#misses > MOST_MISSES) return;
    const around = splitAt(data);
    const shownAround = shown.data === data ? around : splitAt(shown.data);
    // Other members may be called so, too, and stand in another order.
    const isPlain = (around.length === 2 || around.length === 3) && CONTENT.test(around[0]!);
    if (!isPlain || shownAround.length !== around.length || !addsOnlyText(parseJson(around.join('x')), 'x'))
      return;
    this.#last = { state, name, around, shownAround };
  }
}

/** Returns the texts between parts of a chunk, as they are written; undefined if they are others. */
function textsBetween(data: string, around: readonly string[]): string[] | undefined {
  const [head, middle, tail] = around;
  const end = data.length - (tail ?? middle!).length;
  const from = head!.length;
  if (end < from || !data.startsWith(head!) || !data.endsWith(tail ?? middle!)) return undefined;
  if (tail === undefined) return [data.slice(from, end)];
  const at = data.lastIndexOf(middle!, end - middle!.length);
  return at < from ? undefined : [data.slice(from, at), data.slice(at + middle!.length, end)];
}

/** Returns the parts of a chunk around its varying texts. */
function splitAt(data: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (const { 0: key, index } of data.matchAll(VARYING)) {
    const from = index + key.length;
    if (index < start) return [];
    parts.push(data.slice(start, from));
    start = from + /^(?:[^"\\]|\\.)*/s.exec(data.slice(from))![0].length;
  }
  return [...parts, data.slice(start)];
}

/** Whether a chunk adds text to the content of its only choice, and this one if it is given. */
function addsOnlyText(chunk: unknown, text?: string): boolean {
  const { choices, usage, x_groq: groq } = isJsonObject(chunk) ? chunk : {};
  const [choice, ...others] = Array.isArray(choices) ? (choices as unknown[]) : [];
  if (!isJsonObject(choice) || others.length > 0 || isJsonObject(usage) || groq) return false;
  const { delta, finish_reason: reason = null } = choice;
  if (!isJsonObject(delta) || reason !== null || Object.keys(delta).join() !== 'content') return false;
  const { content } = delta;
  return typeof content === 'string' && content !== '' && (text === undefined || content === text);
}
