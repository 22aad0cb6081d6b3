import { describe, expect, it } from 'vitest';
import { KeyedHash } from '../src/sessions/keyed-hash.ts';
import { type ConversationParts, conversationOf } from './conversation-parts.ts';

const keyOf = (parts: Partial<ConversationParts>) => conversationOf(parts).key;

describe('the key of a session', () => {
  it('is the same for the same conversation', () => {
    expect(keyOf({})).toBe(keyOf({}));
  });

  it.each<[string, Partial<ConversationParts>]>([
    ['another credential', { headers: ['authorization', 'Bearer two'] }],
    ['the credential in another header', { headers: ['x-api-key', 'Bearer one'] }],
    ['another first message', { firstUserText: 'hello!' }],
    ['another name in the body', { bodyName: 'x' }],
    ['another upstream', { upstream: 'local' }],
    ['a credential in the query', { parameters: ['key', 'one'] }],
    ['a session header', { headers: ['authorization', 'Bearer one', 'x-winnow-session', 's'] }],
  ])('differs for %s', (_, changes) => {
    expect(keyOf(changes)).not.toBe(keyOf({}));
  });

  it('is never the same for two credentials, even in a session of the same name', () => {
    const withSession = (credential: string) =>
      keyOf({ headers: ['authorization', credential, 'x-winnow-session', 'shared'] });
    expect(withSession('Bearer one')).not.toBe(withSession('Bearer two'));
  });

  it('separates clients without a credential by their address', () => {
    expect(keyOf({ headers: [], remoteAddress: '10.0.0.1' })).not.toBe(
      keyOf({ headers: [], remoteAddress: '10.0.0.2' }),
    );
  });

  it('separates clients by the credentials in their queries alone', () => {
    const ofKey = (key: string) => keyOf({ headers: [], parameters: ['key', key] });
    expect(ofKey('one')).not.toBe(ofKey('two'));
    expect(keyOf({ headers: [], parameters: ['key', 'one'], remoteAddress: '10.0.0.1' })).toBe(
      keyOf({ headers: [], parameters: ['key', 'one'], remoteAddress: '10.0.0.2' }),
    );
  });

  it('depends on the name of a named session, not on its first message', () => {
    const headers = ['authorization', 'Bearer one', 'X-Claude-Code-Session-Id', 's'];
    expect(keyOf({ headers, firstUserText: 'a' })).toBe(keyOf({ headers, firstUserText: 'b' }));
  });

  it('is undefined if the conversation cannot be identified', () => {
    expect(keyOf({ firstUserText: undefined })).toBeUndefined();
  });

  it('reveals nothing about its sources, and changes with the secret', () => {
    expect(keyOf({})).not.toContain('one');
    expect(conversationOf({}, new KeyedHash('other', 'test')).key).not.toBe(keyOf({}));
  });
});
