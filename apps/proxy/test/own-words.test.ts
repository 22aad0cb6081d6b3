import { createSecretKey } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { taughtFields } from '../src/records/taught-fields.ts';
import { OwnWords } from '../src/search/own-words.ts';

const secret = createSecretKey(Buffer.alloc(32, 1));
const plain = new OwnWords({ secret, isPlain: true });
const hashed = new OwnWords({ secret, isPlain: false });
const TOOLS = [
  { name: 'create_issue', description: 'Opens an issue.' },
  { name: 'list_bugs', description: 'Lists bugs.' },
];

describe('words of searches', () => {
  test('are kept as they were written with the text of queries', () => {
    expect(plain.lackedBy(TOOLS, 'file bugs')).toEqual([
      { name: 'create_issue', words: ['file', 'bugs'] },
      { name: 'list_bugs', words: ['file'] },
    ]);
  });

  test('are hashed with the secret otherwise', () => {
    const words = hashed.lackedBy(TOOLS, 'file bugs')[0]!.words;
    expect(words).toHaveLength(2);
    expect(words.join()).toMatch(/^#[\w-]{12},#[\w-]{12}$/);
    const other = new OwnWords({ secret: createSecretKey(Buffer.alloc(32, 2)), isPlain: false });
    expect(other.lackedBy(TOOLS, 'file bugs')).not.toEqual(hashed.lackedBy(TOOLS, 'file bugs'));
  });

  test('are met again in other forms, hashed or not', () => {
    const words = hashed.lackedBy(TOOLS, 'report bugs')[0]!.words;
    const met = [{ name: 'create_issue', words: ['bug'] }];
    expect(hashed.metBy('a bug', { create_issue: words })).toEqual(met);
    expect(hashed.metBy('a bug', { create_issue: ['bugs', 'rockets'] })).toEqual(met);
    expect(hashed.metBy('the weather', { create_issue: words })).toEqual([]);
  });

  test('teach a tool that was called, by the first search that found it', () => {
    const searched = (words: string[]) => ({
      atMs: 0,
      fact: {
        kind: 'searched' as const,
        searches: [],
        newlyLoaded: { found: 1, restored: 0 },
        taught: [
          { name: 'create_issue', words },
          { name: 'list_bugs', words },
        ],
      },
    });
    const called = { atMs: 1, fact: { kind: 'called' as const, called: ['create_issue'], unseen: [] } };
    const soFar = { facts: [searched(['one']), searched(['two']), called] };
    expect(taughtFields(soFar as never)).toEqual({ taught: [{ tool: 'create_issue', words: ['one'] }] });
    expect(taughtFields({ facts: [searched(['one'])] } as never)).toEqual({});
  });
});
