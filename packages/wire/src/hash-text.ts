import { hash } from 'node:crypto';

/** A name for a text: its SHA-256 in base64url. Two texts of one name are one text. */
export function hashText(text: string): string {
  return hash('sha256', text, 'base64url');
}
