/** Characters of a key that identify a session in the records. */
const SHORT_CHARS = 12;

/** Returns a session's key as records show it. */
export function shortKey(key: string | undefined): string | undefined {
  return key?.slice(0, SHORT_CHARS);
}
