import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sessionSecrets } from '../src/sessions/open-sessions.ts';

const keysOf = (secret: Parameters<typeof sessionSecrets>[0]) => {
  const { ofKeys, ofValues } = sessionSecrets(secret);
  return [ofKeys.of('text'), ofValues.export().toString('hex')];
};

const PINNED = [
  'P-4khMc5nFHrAwEgv_NG0g7NdMOaYDZtT3dZqdSz6Fs',
  'b9ebced802316efb839c54250d1acb03c8f93cb7340b46d1c1369d0afb0cc57f',
];

describe('sessionSecrets', () => {
  it('derives the same keys from the same secret, so that proxies share their sessions', () => {
    // Pinned: another derivation would invalidate every stored session.
    expect(keysOf('secret')).toEqual(PINNED);
  });

  it('derives other keys from another secret, and another one for each use', () => {
    expect(new Set([...keysOf('secret'), ...keysOf('secret2')]).size).toBe(4);
  });

  it('accepts a random key in place of a text', () => {
    expect(keysOf(createSecretKey(Buffer.from('secret')))).toEqual(keysOf('secret'));
  });
});
