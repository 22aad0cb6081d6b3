/** Returns how often a word stands in a text. */
export function countOf(text: string, word: string): number {
  let count = 0;
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) count += 1;
  return count;
}
