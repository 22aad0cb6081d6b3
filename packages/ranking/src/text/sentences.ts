const SENTENCE_END = /(?<=[.!?;])\s+|[\n。！？；]+/;

/** Splits a text into sentences as written, each line separately; some may contain no word. */
export function splitSentences(text: string): string[] {
  return text.split(SENTENCE_END);
}
