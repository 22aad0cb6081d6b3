import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/** The keys for everything about sessions. */
export interface SessionSecrets {
  /** Keeps session keys from revealing their sources. */
  readonly ofKeys: KeyObject;
  /** Seals values that are stored where others may write. */
  readonly ofValues: KeyObject;
}

const KEY_BYTES = 32;

/** Derives the keys from a secret: the same in every process, and a separate one for each use. */
export function sessionSecrets(secret: string | KeyObject): SessionSecrets {
  const derive = (use: string) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `winnow ${use}`, KEY_BYTES)));
  return {
    ofKeys: derive('session keys'),
    ofValues: derive('session values'),
  };
}
