import { describe, expect, it } from 'vitest';
import { MemorySessionStore } from '../src/sessions/memory.ts';
import { CONTRACT_TTL_MS, describeSessionStore, note, PLACE } from './session-store-contract.ts';

function createStore(maxBytes = 64_000_000) {
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
  it('returns memory when it is swept', async () => {
    const { store, advance } = createStore();
    await store.add(PLACE, [note('a')]);
    advance(CONTRACT_TTL_MS - 1);
    await store.add({ tenant: 'new', session: 's' }, [note('a')]);
    advance(1);
    store.sweep();
    expect(store.size).toBe(1);
    advance(CONTRACT_TTL_MS);
    store.sweep();
    expect([store.size, store.bytes]).toEqual([0, 0]);
  });

  it('drops only the oldest notes of a session with thousands of them', async () => {
    const { store } = createStore();
    const others = Array.from({ length: 1_000 }, (_, number) => `other ${number}`);
    for (const session of others) await store.add({ ...PLACE, session }, [note(session)]);
    for (let number = 0; number < 4_500; number++) await store.add(PLACE, [note(`turn ${number}`)]);
    expect((await store.read('k', others)).size).toBe(1_000);
    expect((await store.read('k', ['turn 0', 'turn 4499'])).size).toBe(1);
    expect(store.size).toBe(1_001);
  });

  it('drops only the notes of a tenant with too many', async () => {
    const { store } = createStore(400_000);
    await store.add({ tenant: 'quiet', session: 's' }, [note('a')]);
    for (let number = 0; number < 1_000; number++) {
      await store.add({ tenant: 'loud', session: `s${number}` }, [note(`n${number}`, 'x'.repeat(1_000))]);
    }
    expect((await store.read('quiet', ['a'])).size).toBe(1);
    expect((await store.read('loud', ['n0', 'n999'])).size).toBe(1);
    expect(store.bytes).toBeLessThanOrEqual(101_000);
  });

  it('drops the least recently used notes of a tenant, where reading counts as use', async () => {
    const { store } = createStore(400_000);
    for (let number = 0; number < 1_000; number++) {
      const place = { tenant: 'loud', session: `s${number}` };
      await store.add(place, [note(`n${number}`, 'x'.repeat(1_000))]);
      await store.read('loud', ['n0']);
    }
    expect([...(await store.read('loud', ['n0', 'n1', 'n999'])).keys()]).toEqual(['n0', 'n999']);
  });

  it('drops the least recently used notes when all tenants together have too many', async () => {
    const { store } = createStore(10_000);
    const tenants = Array.from({ length: 20 }, (_, number) => `t${number}`);
    for (const tenant of tenants) {
      await store.add({ tenant, session: 's' }, [note('a')]);
      await store.read('t0', ['a']);
    }
    const sizes = await Promise.all(tenants.map(async (tenant) => (await store.read(tenant, ['a'])).size));
    expect([sizes[0], sizes[1], sizes[19]]).toEqual([1, 0, 1]);
    expect(store.bytes).toBeLessThanOrEqual(10_000);
  });

  it('stores no note that exceeds its whole limit', async () => {
    const { store } = createStore(1_000);
    await store.add(PLACE, [note('a', 'x'.repeat(5_000))]);
    expect([store.size, store.bytes]).toEqual([0, 0]);
  });
});
