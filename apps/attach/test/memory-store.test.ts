import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../src/guard/attach-store.ts';
import type { PlannedAttachment } from '../src/prepare-attachment.ts';
import { proveStore } from './store-contract.ts';

describe('a store in memory', () => {
  proveStore(async () => createMemoryStore(() => 0));

  test('forgets plans, keys and responses after their time', async () => {
    let now = 0;
    const store = createMemoryStore(() => now);
    await store.savePlan('p', {} as PlannedAttachment);
    await store.begin('k', 'body');
    now = 60_001;
    expect(await store.begin('k', 'other')).toEqual({ kind: 'begun' });
    now = 10 * 60_000 + 1;
    expect(await store.readPlan('p')).toBeUndefined();
  });
});
