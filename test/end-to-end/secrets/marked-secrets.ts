/** Every place that contains a secret, in order. */
const places: string[] = [];

/**
 * A secret that identifies its place.
 *
 * Parsers quote as little as ten characters of their input: any ten characters of these secrets identify the
 * place.
 */
export function secret(place: string): string {
  if (!places.includes(place)) places.push(place);
  return `${MARK}${String(places.indexOf(place)).padStart(2, '0')}${MARK}`;
}

const MARK = 'zqzqzqzq';

/** A name that records may contain, and metrics may not. */
export const TOOL_NAME_MARK = 'wkwk';

/** The places whose secrets occur in a text, each once; a truncated secret is `unknown`. */
export function leaksIn(text: string): string[] {
  const found = [...text.matchAll(/(?:zq){2,}(?:(\d\d)(?:zq)*)?|(?:qz){2,}/gi)];
  return [...new Set(found.map(([, number]) => places[Number(number)] ?? 'unknown'))];
}

/** Places whose full secrets occur in a text; a missing one was never sent. */
export function placesIn(text: string): ReadonlySet<string> {
  return new Set(places.filter((place) => text.includes(secret(place))));
}
