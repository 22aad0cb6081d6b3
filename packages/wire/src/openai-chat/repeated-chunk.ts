import { type StreamEvent, withData } from '../framing/framing.ts';
import { isJsonObject, type JsonObject, parseJson } from '../json/json-value.ts';

/** The parts of a chunk around its varying texts. Without a second text, the middle is its end. */
interface Around {
  readonly head: string;
  readonly middle: string;
  readonly tail: string;
}

/** A chunk that adds text and nothing else, and what the client gets in its place. */
interface TextChunk {
  readonly state: object;
  readonly name: string | undefined;
  readonly around: Around;
  readonly shown: Around;
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
    const { data } = event;
    const { head, middle, tail } = last.around;
    // The middle ends the chunk unless characters fill it up.
    const isFilled = tail !== '';
    const end = data.length - (isFilled ? tail : middle).length;
    // `startsWith` compares the characters one by one.
    if (end <= head.length || data.slice(0, head.length) !== head) return undefined;
    if (!data.endsWith(isFilled ? tail : middle)) return undefined;
    const contentEnd = isFilled ? data.lastIndexOf(middle, end - middle.length) : end;
    const content = data.slice(head.length, Math.max(head.length, contentEnd));
    const filler = isFilled ? data.slice(contentEnd + middle.length, end) : '';
    const text = ESCAPED.test(content) ? parseJson(`"${content}"`) : content;
    if (content === '' || typeof text !== 'string' || ESCAPED.test(filler)) return undefined;
    this.#misses = 0;
    const { shown } = last;
    if (shown === last.around) return { text, filler, shown: event };
    return {
      text,
      filler,
      shown: withData(event, shown.head + content + shown.middle + filler + shown.tail),
    };
  }

  forget(): void {
    this.#last = undefined;
  }

  /** Learns from a chunk that has left the state as it was, and from what the client gets in its place. */
  learn(state: object, { name, data, isError }: StreamEvent, chunk: JsonObject, shown: StreamEvent): void {
    if (isError || !addsOnlyText(chunk) || ++this.#misses > MOST_MISSES) return;
    const around = splitAt(data);
    const shownAround = shown.data === data ? around : splitAt(shown.data);
    if (around === undefined || shownAround === undefined) return;
    const { head, middle, tail } = around;
    const isFilled = tail !== '';
    // Other members may be called so, too.
    if (isFilled !== (shownAround.tail !== '')) return;
    if (addsOnlyText(parseJson(isFilled ? `${head}x${middle}x${tail}` : `${head}x${middle}`), 'x'))
      this.#last = { state, name, around, shown: shownAround };
  }
}

/** Returns the parts of a chunk around its varying texts; undefined if they are not its content and what fills it up. */
function splitAt(data: string): Around | undefined {
  const parts: string[] = [];
  let start = 0;
  for (const { 0: key, index } of data.matchAll(VARYING)) {
    const from = index + key.length;
    if (index < start || parts.length > 1) return undefined;
    parts.push(data.slice(start, from));
    start = from + /^(?:[^"\\]|\\.)*/s.exec(data.slice(from))![0].length;
  }
  const [head, middle = data.slice(start)] = parts;
  if (head === undefined || !CONTENT.test(head)) return undefined;
  return { head, middle, tail: parts.length > 1 ? data.slice(start) : '' };
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
