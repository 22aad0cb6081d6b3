/** The word or phrase with its first letter as a capital. */
export function capitalise(phrase: string): string {
  return phrase.charAt(0).toUpperCase() + phrase.slice(1);
}

/** The word or phrase behind "a", or "an" where it starts with a vowel. Good enough for our own vocabulary. */
export function withArticle(phrase: string): string {
  return `${/^[aeiou]/.test(phrase) ? 'an' : 'a'} ${phrase}`;
}
