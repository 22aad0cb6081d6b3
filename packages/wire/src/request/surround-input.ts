import type { RequestView } from '../format/view.ts';
import { type Edit, textOf } from '../json/json-splice.ts';

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
