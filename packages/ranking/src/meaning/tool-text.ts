import { cutText } from '../cut-text.ts';
import type { ToolDocument } from '../document.ts';

/** About what the small embedding models read: 128 to 256 tokens. */
const MAX_CHARS = 1_000;

/** The text by which a tool's meaning is known: its name as words, then what it does. */
export function meaningText({ name, description }: Pick<ToolDocument, 'name' | 'description'>): string {
  return cutText(`${nameAsWords(name)}: ${description}`, MAX_CHARS);
}

function nameAsWords(name: string): string {
  return name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/[_\-./:\s]+/g, ' ')
    .trim();
}
