import { type Edit, splice, textOf } from '@winnow/core';
import type { RequestSpans, RequestText, RequestView } from '../format/view.ts';

/** A text with its bytes, so that it need not be encoded for each request. */
export interface WrittenText {
  readonly text: string;
  readonly bytes: Uint8Array;
}

/** An edit that replaces the tools of a request. */
export interface SectionEdit extends Edit, WrittenText {}

/** Encodes a text. */
export function writtenText(text: string): WrittenText {
  return { text, bytes: encode(text) };
}

/**
 * Returns the edit that appends elements to the history, the value of this member. The positions are known, so
 * a large body is not scanned again.
 */
export function appendToHistory(
  { spans }: { readonly spans: Pick<RequestSpans, 'history' | 'members'> },
  member: string,
  elements: readonly string[],
): Edit[] {
  if (elements.length === 0) return [];
  const last = spans.history.at(-1)?.end;
  const end = last ?? spans.members.get(member)!.start + 1;
  return [{ start: end, end, text: `${last === undefined ? '' : ','}${elements.join(',')}` }];
}

/**
 * Returns the body with these edits; the original bytes when there are none. A request that is a base64 string
 * in its body is put back there.
 *
 * An edit may replace the tools as a whole, but not change a part of them. Tools that are not text, or were
 * written before, are copied as bytes.
 */
export function writeRequest(request: RequestText, edits: readonly (Edit | SectionEdit)[]): Uint8Array {
  const { bytes, wrapped } = request;
  if (edits.length === 0) return bytes.whole;
  const written = writeEdited(request, edits);
  if (wrapped === undefined) return written;
  const { buffer, byteOffset, byteLength } = written;
  const base64 = Buffer.from(buffer, byteOffset, byteLength).toString('base64');
  return encode(`${wrapped.before}"${base64}"${wrapped.after}`);
}

function writeEdited(
  { text, toolBytes, spans: { tools } }: RequestText,
  edits: readonly (Edit | SectionEdit)[],
): Uint8Array {
  const replaced = edits.find((edit): edit is SectionEdit => 'bytes' in edit);
  const isShort = replaced !== undefined && replaced.text.length < SHORT_CHARS;
  const bytesOfTools = replaced === undefined ? toolBytes : replaced.bytes;
  if (isShort || bytesOfTools === undefined || tools === undefined) return encode(splice(text, edits));
  const others = edits.filter((edit) => edit !== replaced);
  const before = others.filter(({ end }) => end <= tools.start);
  const behind = others.filter(({ start }) => start >= tools.end);
  if (before.length + behind.length < others.length)
    throw new Error('an edit changes a part of tools that are not text');
  const rest = text.slice(tools.end);
  return Buffer.concat([
    encode(splice(text.slice(0, tools.start), before)),
    bytesOfTools,
    encode(
      splice(
        rest,
        behind.map((edit) => moved(edit, tools.end)),
      ),
    ),
  ]);
}

/** The length below which encoding a text again costs less than joining bytes. */
const SHORT_CHARS = 16_384;

function moved({ start, end, text }: Edit, distance: number): Edit {
  return { start: start - distance, end: end - distance, text };
}

const encoder = new TextEncoder();

function encode(text: string): Uint8Array {
  return encoder.encode(text);
}

/** The elements around those of a request's `input`. */
export interface Surrounding {
  readonly front: readonly string[];
  readonly back: readonly string[];
  /** The text in place of the list, as JSON; undefined when there is none. */
  readonly ownText: string | undefined;
  /** Returns what stands in place of the list, such as that text, as an element of a list. */
  readonly asElement: (ownText: string | undefined) => string;
  /** Edits of the elements between. */
  readonly within?: readonly Edit[];
}

/** Returns the edits that insert elements before and behind the client's own, which become a list. */
export function surroundInput(
  { text, spans, body }: RequestView,
  { front, back, ownText, asElement, within = [] }: Surrounding,
): readonly Edit[] {
  const input = spans.members.get('input');
  const [first, last] = [spans.history[0], spans.history.at(-1)];
  if (input === undefined) return [];
  if (front.length === 0 && back.length === 0) {
    return ownText === undefined || ownText === textOf(text, first!) ? [] : [{ ...first!, text: ownText }];
  }
  const insert = (position: number, added: string) => ({ start: position, end: position, text: added });
  if (first === undefined || last === undefined) {
    return [insert(input.start + 1, [...front, ...back].join(','))];
  }
  if (!Array.isArray(body.input)) {
    return [{ ...first, text: `[${[...front, asElement(ownText), ...back].join(',')}]` }];
  }
  return [
    ...(front.length === 0 ? [] : [insert(first.start, `${front.join(',')},`)]),
    ...within,
    ...(back.length === 0 ? [] : [insert(last.end, `,${back.join(',')}`)]),
  ];
}
