/** Enough of a key to recognise a session in the records. */
const SHORT_CHARS = 12;

/** A session's key as records have it. */
export function shortKey(key: string | undefined): string | undefined {
  return key?.slice(0, SHORT_CHARS);
}
