import { hash } from 'node:crypto';

/** Returns the SHA-256 of a text in base64url, which serves as its name. */
export function hashText(text: string): string {
  return hash('sha256', text, 'base64url');
}
