/**
 * At least as many tokens as a language model's tokenizer makes of a text, as a rule: a token for every five letters of a word or
 * less, every three digits, and every two other characters in a row that are not spaces.
 *
 * Compared in a test with `o200k_base`, which makes some 20 % less of such texts.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(/[A-Za-z]+|\d+|[^\sA-Za-z\d]+/gu)) {
    if (/^[A-Za-z]/.test(piece)) tokens += Math.ceil(piece.length / 5);
    else if (/^\d/.test(piece)) tokens += Math.ceil(piece.length / 3);
    else tokens += Math.ceil(piece.length / 2);
  }
  return tokens;
}
