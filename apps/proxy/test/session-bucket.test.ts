import { describe, expect, it } from 'vitest';
import { type ConversationParts, conversationOf } from './conversation-parts.ts';

const bucketOf = (parts: Partial<ConversationParts>) => conversationOf(parts).bucket;

describe('the bucket of a session', () => {
  it('is the same in every process and in every version', () => {
    expect(bucketOf({})).toBeCloseTo(76.32278380854167, 10);
  });

  it('depends on the credential, the upstream and the conversation', () => {
    const changes: Partial<ConversationParts>[] = [
      {},
      { headers: ['authorization', 'Bearer two'] },
      { upstream: 'local' },
      { firstUserText: 'hello!' },
      { bodyName: 'x' },
      { headers: ['authorization', 'Bearer one', 'x-winnow-session', 's'] },
    ];
    expect(new Set(changes.map(bucketOf)).size).toBe(changes.length);
  });

  it('is undefined if the conversation cannot be identified', () => {
    expect(bucketOf({ firstUserText: undefined })).toBeUndefined();
  });

  it('distributes sessions evenly', () => {
    const perTenth = Array<number>(10).fill(0);
    for (let number = 0; number < 10_000; number++) {
      const bucket = bucketOf({ firstUserText: `conversation ${number}` })!;
      if (!(bucket >= 0 && bucket < 100)) expect.fail(`${bucket}`);
      perTenth[Math.floor(bucket / 10)]!++;
    }
    // 1,000 each; the deviation of a fair draw is 30.
    expect(Math.min(...perTenth)).toBeGreaterThan(880);
    expect(Math.max(...perTenth)).toBeLessThan(1_120);
  });
});
