/** The start of the inner arguments that determines the white space around them, in characters. */
const STYLE_CHARS = 256;

/**
 * Returns the text around the inner arguments of a bridge call in its canonical form: the name first, with
 * the white space of the arguments, because models have one style. `inner` is their JSON text, or at least
 * its beginning.
 */
export function aroundArguments(name: string, inner: string): readonly [before: string, after: string] {
  const gap = /^\{\s*"(?:[^"\\]|\\.)*":\s/.test(inner.slice(0, STYLE_CHARS)) ? ' ' : '';
  return [`{"name":${gap}${JSON.stringify(name)},${gap}"arguments":${gap}`, '}'];
}
