import type { HeaderList } from '../formats/client-format.ts';

/** Headers of a single connection. https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1 */
const OF_CONNECTION = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
  'content-length',
  'expect',
];

/** Headers that an intermediary may replace. */
const OF_INTERMEDIARIES = ['date', 'server', 'via', 'accept-encoding'];

/** Headers that change what a body is; no gateway may add them to a body that did not have them. */
const OF_BODIES = ['content-encoding', 'content-range', 'content-disposition'];

/**
 * Finds headers that did not arrive as they were sent: missing, changed, or in another order among those of one
 * name. Headers that a gateway adds are its own affair, unless they say something of the body.
 */
export function* compareHeaders(
  sent: HeaderList,
  found: HeaderList,
  ignored: readonly string[] = [],
): Generator<string> {
  const skipped = new Set([...OF_CONNECTION, ...OF_INTERMEDIARIES, ...ignored]);
  const names = new Set(sent.map(([name]) => name.toLowerCase()).filter((name) => !skipped.has(name)));
  const valuesOf = (list: HeaderList, wanted: string) =>
    list.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);
  for (const name of names) {
    const expected = valuesOf(sent, name);
    const arrived = valuesOf(found, name);
    // Cookies belong to the gateway's own connection; it may keep them all to itself.
    if (name === 'set-cookie' && arrived.length === 0) continue;
    // Field lines of one name may be joined, except for cookies. RFC 9110, section 5.3.
    const isSame =
      arrived.length > 0 &&
      (name === 'set-cookie' ? same(expected, arrived) : same([expected.join(', ')], [arrived.join(', ')]));
    if (isSame || (name === 'vary' && holdsAll(expected, arrived))) continue;
    yield arrived.length === 0
      ? `the header "${name}" is missing`
      : `the header "${name}" is ${JSON.stringify(arrived)} instead of ${JSON.stringify(expected)}`;
  }
  for (const name of OF_BODIES) {
    if (!names.has(name) && valuesOf(found, name).length > 0) yield `the header "${name}" was added`;
  }
}

/**
 * Whether each field that the response varies by is still named. A gateway may vary by more, for which it adds
 * names: https://www.rfc-editor.org/rfc/rfc9110.html#section-12.5.5
 */
function holdsAll(expected: readonly string[], arrived: readonly string[]): boolean {
  const namesIn = (values: readonly string[]) =>
    values.flatMap((value) => value.split(',').map((name) => name.trim().toLowerCase()));
  const named = new Set(namesIn(arrived));
  return namesIn(expected).every((name) => named.has(name));
}

function same(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((value, at) => value === right[at]);
}
