import { type FrameEncoder, type Framing, TextDecoding, type WireEvent } from './framing.ts';

/**
 * One JSON array whose elements are the events, each available as soon as it is complete. It shares its
 * content type with `json`, so a format has to choose it.
 *
 * A body that is not an array, such as an error, is one piece.
 */
export const jsonArray: Framing = {
  name: 'json-array',
  contentTypes: [],
  isStream: true,
  isText: true,
  createDecoder: (limitChars) => new ElementDecoder(limitChars),
  createEncoder,
};

/**
 * Decodes the elements of an array. An event's source starts after the previous element; the end of the array
 * is a comment.
 */
class ElementDecoder extends TextDecoding {
  /** Undefined until a character other than white space arrives. */
  #isArray: boolean | undefined;
  /** The number of open brackets, including the array's own. */
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** Whether a value other than an array, object or string has begun. */
  #isInScalar = false;
  #isOver = false;

  protected toLast(rest: string): WireEvent {
    if (!this.#isArray) return { kind: 'whole', text: rest };
    return this.#isOver ? gap(rest) : toEvent(rest);
  }

  protected take(text: string): WireEvent[] {
    const events: WireEvent[] = [];
    let start = 0;
    const first = text.trimStart()[0];
    if (first !== undefined) this.#isArray ??= first === '[';
    for (let at = 0; this.#isArray && at < text.length; at += 1) {
      const isScalarOver = this.#isInScalar && this.#depth === 1 && BEHIND_SCALAR.has(text[at]!);
      if (isScalarOver) {
        events.push(toEvent(this.held.release(text.slice(start, at))));
        start = at;
        this.#isInScalar = false;
      }
      if (!this.#isEndOfElement(text[at]!)) continue;
      events.push(toEvent(this.held.release(text.slice(start, at + 1))));
      start = at + 1;
    }
    this.held.hold(text.slice(start));
    return events;
  }

  /** Takes a character; returns true when it closes an element of the array. */
  #isEndOfElement(character: string): boolean {
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (character === '\\') this.#isEscaped = true;
      else if (character === '"') this.#isInString = false;
      return !this.#isInString && this.#depth === 1;
    }
    if (character === '"') this.#isInString = true;
    else if (character === '{' || character === '[') this.#depth += 1;
    else if (character === '}' || character === ']') {
      this.#depth -= 1;
      this.#isOver ||= this.#depth <= 0;
      return this.#depth === 1;
    } else if (this.#depth === 1 && !BEHIND_SCALAR.has(character)) this.#isInScalar = true;
    return false;
  }
}

const BEHIND_SCALAR: ReadonlySet<string> = new Set([',', ']', ' ', '\n', '\r', '\t']);

function toEvent(text: string): WireEvent {
  const data = text.replace(/^\s*[[,]?\s*/, '');
  const source = { framing: jsonArray.name, text };
  return data === '' ? gap(text) : { kind: 'event', data, source };
}

function gap(text: string): WireEvent {
  return { kind: 'comment', text: '', source: { framing: jsonArray.name, text } };
}

/**
 * Encodes events as one array, even if they come from several bodies: a bracket before the first element, a
 * comma before every other, and the end once.
 */
function createEncoder(): FrameEncoder {
  let isBegun = false;
  let end: string | undefined;
  const write = (event: WireEvent): string => {
    if (event.kind === 'whole') return event.text;
    const text = event.source?.framing === jsonArray.name ? event.source.text : undefined;
    if (event.kind === 'comment') {
      end = text ?? end;
      return '';
    }
    const lead = isBegun ? ',' : '[';
    isBegun = true;
    return text === undefined ? `${lead}\n${event.data}` : text.replace(/^(\s*)[[,]?/, `$1${lead}`);
  };
  return {
    encode: (events) => events.map(write).join(''),
    end: () => {
      if (end !== undefined && isBegun) return end.replace(/^\s*\[/, '');
      return end ?? (isBegun ? '\n]' : '');
    },
  };
}
