import { cutText } from '../cut-text.ts';
import type { DocumentTable } from '../document-table.ts';

/** About what the small embedding models read: 128 to 256 tokens. */
const MAX_CHARS = 1_000;

/** The text by which a tool's meaning is known: its name as words, then what it does. */
export function meaningText(table: DocumentTable, position: number): string {
  return cutText(`${nameAsWords(table.name(position))}: ${table.description(position)}`, MAX_CHARS);
}

function nameAsWords(name: string): string {
  return name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/[_\-./:\s]+/g, ' ')
    .trim();
}
