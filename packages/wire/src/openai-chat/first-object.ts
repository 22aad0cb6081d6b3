import { elementsOf, type Span } from '../json/json-splice.ts';

/** The first object in the list at `list`, as `objectsIn` finds it; undefined when there is none. */
export function firstObject(text: string, list: Span): Span | undefined {
  return elementsOf(text, list.start).find(({ start }) => text[start] === '{');
}
