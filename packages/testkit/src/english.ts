/** Returns the word or phrase with a capital first letter. */
export function capitalise(phrase: string): string {
  return phrase.charAt(0).toUpperCase() + phrase.slice(1);
}

/** Returns the word or phrase with "a", or "an" before a vowel. Good enough for this vocabulary. */
export function withArticle(phrase: string): string {
  return `${/^[aeiou]/.test(phrase) ? 'an' : 'a'} ${phrase}`;
}
