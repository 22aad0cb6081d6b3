import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/** The keys that everything about sessions is made with. */
export interface SessionSecrets {
  /** Keeps the keys of sessions from telling what they were made of. */
  readonly ofKeys: KeyObject;
  /** Seals what is stored in a place that others may write to. */
  readonly ofValues: KeyObject;
}

const KEY_BYTES = 32;

/** The keys that a secret stands for: the same for the same secret, in every process, and each of its own use. */
export function sessionSecrets(secret: string | KeyObject): SessionSecrets {
  const derive = (use: string) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `winnow ${use}`, KEY_BYTES)));
  return { ofKeys: derive('session keys'), ofValues: derive('session values') };
}
