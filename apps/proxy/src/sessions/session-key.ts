import { createHmac, type KeyObject } from 'node:crypto';
import { type SessionClues, writeClues } from './session-clues.ts';

/**
 * The key of a request's session, or undefined when nothing tells its conversation apart.
 *
 * Requests with different credentials never have the same key. `secret` keeps the key from saying anything about the credential
 * or the conversation; it is a key object, as making one costs more than the rest of the key.
 */
export function sessionKey(clues: SessionClues, secret: KeyObject): string | undefined {
  const written = writeClues(clues);
  if (written === undefined) return undefined;
  const [parts, text] = written;
  return createHmac('sha256', secret).update(parts).update(text).digest('base64url');
}
