import { createHash } from 'node:crypto';
import { type SessionIdentity, writeIdentity } from './session-identity.ts';

/** Bytes of the hash that are read: as many as a number holds exactly. */
const READ_BYTES = 6;

/**
 * Where a session stands among all sessions, from 0 up to but not 100, or undefined when nothing tells its conversation apart.
 *
 * The same in every process and after every start, and evenly spread: so many percent of the sessions are below so much. Not keyed by
 * the secret, which another process may not share, so it must not be shown: it could be compared with guesses.
 */
export function sessionBucket(identity: SessionIdentity): number | undefined {
  const written = writeIdentity(identity);
  if (written === undefined) return undefined;
  const [parts, text] = written;
  const hash = createHash('sha256').update(parts).update(text).digest();
  return (hash.readUIntBE(0, READ_BYTES) / 256 ** READ_BYTES) * 100;
}
