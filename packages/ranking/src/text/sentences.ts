const SENTENCE_END = /(?<=[.!?;])\s+|[\n。！？；]+/;

/** The sentences of a text as written, each line by itself; some may hold no word. */
export function splitSentences(text: string): string[] {
  return text.split(SENTENCE_END);
}
