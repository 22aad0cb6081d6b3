/** The text between the texts of two rounds: a blank line, which begins a paragraph in Markdown, too. */
const SEAM = '\n\n';

/**
 * Returns the text to put in front of a round's text: the rounds before it ended with other text, and the
 * client gets both as one. Empty when either side has white space, or there is no text.
 */
export function seamBetween(earlier: string, later: string): string {
  return isWord(earlier.at(-1)) && isWord(later[0]) ? SEAM : '';
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && character.trim() !== '';
}
