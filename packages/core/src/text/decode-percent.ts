/** Decodes percent-encoded characters; returns a text that is not validly encoded unchanged. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
