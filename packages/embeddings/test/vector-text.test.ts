import { describe, expect, it } from 'vitest';
import { keyOf } from '../src/vector-cache.ts';
import { fromVectorText, MAX_VECTOR_TEXT, toVectorText } from '../src/vector-text.ts';

const text = (bytes: readonly number[]) => `${keyOf('a')} ${Buffer.from(bytes).toString('base64')}`;

describe('a vector as text', () => {
  it('comes back as it was, of one dimension and of as many as there may be', () => {
    for (const vector of [Int8Array.of(-127), Int8Array.of(0, 127, -1), new Int8Array(8_192).fill(127)]) {
      const written = toVectorText([keyOf('a'), vector]);
      expect(written.length).toBeLessThanOrEqual(MAX_VECTOR_TEXT);
      expect(fromVectorText(written)).toEqual([keyOf('a'), vector]);
    }
  });

  it('is a part of a larger array', () => {
    const vector = Int8Array.of(1, 2, 127, 3).subarray(1, 3);
    expect(fromVectorText(toVectorText([keyOf('a'), vector]))![1]).toEqual(Int8Array.of(2, 127));
  });

  it.each([
    ['nothing', ''],
    ['no key', `${'0'.repeat(31)} fw==`],
    ['a key of other letters', `${'G'.repeat(32)} fw==`],
    ['no bytes', `${keyOf('a')} `],
    ['another text', `${keyOf('a')} {"a":1}`],
    ['more behind it', `${text([127])}\n`],
    ['zeros', text([0, 0])],
    ['a vector that no model gives: the largest component is always 127', text([126])],
    ['-128', text([127, 128])],
    ['too many dimensions', text(Array.from({ length: 9_000 }, () => 127))],
  ])('is none for %s', (_, other) => {
    expect(fromVectorText(other)).toBeUndefined();
  });
});
