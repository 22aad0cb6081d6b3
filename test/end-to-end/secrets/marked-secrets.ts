/** Every place that a secret was put into, in order. */
const places: string[] = [];

/**
 * A secret that is known by its place.
 *
 * Parsers quote as little as ten characters of what they were given: every ten of these tell what they are part of.
 */
export function secret(place: string): string {
  if (!places.includes(place)) places.push(place);
  return `${MARK}${String(places.indexOf(place)).padStart(2, '0')}${MARK}`;
}

const MARK = 'zqzqzqzq';

/** A name that records may hold, and metrics may not. */
export const TOOL_NAME_MARK = 'wkwk';

/** The places of the secrets in a text, each once; a secret that was cut is `unknown`. */
export function leaksIn(text: string): string[] {
  const found = [...text.matchAll(/(?:zq){2,}(?:(\d\d)(?:zq)*)?|(?:qz){2,}/gi)];
  return [...new Set(found.map(([, number]) => places[Number(number)] ?? 'unknown'))];
}

/** Places whose secrets a text has in full; what is missing never was on its way. */
export function placesIn(text: string): ReadonlySet<string> {
  return new Set(places.filter((place) => text.includes(secret(place))));
}
