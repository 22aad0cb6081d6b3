import { describe, expect, it } from 'vitest';
import { MemorySessionStore } from '../src/sessions/memory.ts';
import { CONTRACT_TTL_MS, describeSessionStore, hiddenTurn } from './session-store-contract.ts';

function createStore(maxBytes = 1_000_000) {
  const clock = { now: 0 };
  const store = new MemorySessionStore({ ttlMs: CONTRACT_TTL_MS, maxBytes, now: () => clock.now });
  return {
    store,
    advance: (ms: number) => {
      clock.now += ms;
    },
  };
}

describeSessionStore('MemorySessionStore', createStore);

describe('MemorySessionStore', () => {
  it('gives memory back when it is swept', async () => {
    const { store, advance } = createStore();
    await store.add('old', { loaded: ['a'], hiddenTurns: [hiddenTurn('1')] });
    advance(CONTRACT_TTL_MS - 1);
    await store.add('new', { loaded: ['a'], hiddenTurns: [] });
    advance(1);
    store.sweep();
    expect(store.size).toBe(1);
    advance(CONTRACT_TTL_MS);
    store.sweep();
    expect([store.size, store.bytes]).toEqual([0, 0]);
  });

  it('lets go of the sessions that were not used for longest when it is full', async () => {
    const { store } = createStore(2_500);
    for (const key of ['a', 'b', 'c']) await store.add(key, { loaded: ['x'.repeat(100)], hiddenTurns: [] });
    await store.read('a');
    await store.add('d', { loaded: ['x'.repeat(100)], hiddenTurns: [] });
    const counts = await Promise.all(
      ['a', 'b', 'c', 'd'].map(async (key) => (await store.read(key)).loaded.length),
    );
    expect(counts).toEqual([1, 0, 1, 1]);
    expect(store.bytes).toBeLessThanOrEqual(2_500);
  });

  it('does not hold a session that is larger than all it may hold', async () => {
    const { store } = createStore(1_000);
    await store.add('k', { loaded: ['x'.repeat(5_000)], hiddenTurns: [] });
    expect([store.size, store.bytes]).toEqual([0, 0]);
  });
});
