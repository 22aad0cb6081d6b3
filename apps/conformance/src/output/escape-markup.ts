const NAMES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Escapes a text for HTML and XML; control characters, which XML forbids, become spaces. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"]/g, (one) => NAMES[one]!).replace(/(?![\t\n\r])[\p{Cc}\ufffe\uffff]/gu, ' ');
}
