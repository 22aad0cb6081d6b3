/**
 * Returns the first `maxChars` UTF-16 code units of a text, one fewer if the cut would split a surrogate
 * pair.
 */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  if (maxChars <= 0) return '';
  return text.slice(0, isSplitPair(text, maxChars) ? maxChars - 1 : maxChars);
}

function isSplitPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}
