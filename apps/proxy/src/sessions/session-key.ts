import { createHmac, type KeyObject } from 'node:crypto';
import { type SessionIdentity, writeIdentity } from './session-identity.ts';

/**
 * The key of whoever sent a request: what one credential's notes are kept under, and no other's. `secret` keeps it from saying anything
 * about the credential.
 */
export function tenantKey(text: string, secret: KeyObject): string {
  return createHmac('sha256', secret).update('tenant\n').update(text).digest('base64url');
}

/**
 * The key of a request's session, or undefined when nothing tells its conversation apart.
 *
 * Requests with different credentials never have the same key. `secret` keeps the key from saying anything about the credential
 * or the conversation; it is a key object, as making one costs more than the rest of the key.
 */
export function sessionKey(identity: SessionIdentity, secret: KeyObject): string | undefined {
  const written = writeIdentity(identity);
  if (written === undefined) return undefined;
  const [parts, text] = written;
  return createHmac('sha256', secret).update(parts).update(text).digest('base64url');
}
