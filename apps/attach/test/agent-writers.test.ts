import { expect, test } from 'vitest';
import { AgentWriters } from '../src/guard/agent-writers.ts';
import type { Lease } from '../src/guard/attach-store.ts';
import { createMemoryStore } from '../src/guard/attach-store.ts';

/** Writers by a clock that waiting alone moves. */
function createWriters(lease?: () => Promise<Lease | undefined>) {
  let now = 0;
  const beats = new Set<() => void>();
  const writers = new AgentWriters({
    store: lease ? { lease } : createMemoryStore(() => now),
    now: () => now,
    wait: async (ms, signal) => {
      await new Promise((resolve) => setImmediate(resolve));
      if (!signal.aborted) now += ms;
    },
    every: (_, call) => {
      beats.add(call);
      return () => beats.delete(call);
    },
  });
  return { writers, beat: () => [...beats].map((call) => call()) };
}

test('writers of one agent come after each other, in order; of others at once', async () => {
  const { writers } = createWriters();
  const said: string[] = [];
  const { promise: first, resolve: end } = Promise.withResolvers<void>();
  const work = (name: string, until?: Promise<void>) => async () => {
    said.push(`${name} begins`);
    await until;
    said.push(`${name} ends`);
  };
  const all = [writers.run('a', work('1', first)), writers.run('a', work('2')), writers.run('b', work('3'))];
  await all[2];
  expect(said).toEqual(['1 begins', '3 begins', '3 ends']);
  end();
  await Promise.all(all);
  expect(said.slice(3)).toEqual(['1 ends', '2 begins', '2 ends']);
});

test('a caller that waits too long is refused, and holds up no one else', async () => {
  const { writers } = createWriters();
  const { promise: first, resolve: end } = Promise.withResolvers<void>();
  const running = writers.run('a', () => first);
  expect(await writers.run('a', async () => {})).toEqual({ kind: 'busy' });
  end();
  await running;
  expect(await writers.run('a', async () => 5)).toEqual({ kind: 'done', result: 5 });
});

test("another instance's lease is waited for, for ten seconds", async () => {
  let left = 3;
  const lease = { renew: async () => true, release: async () => {} };
  const { writers } = createWriters(async () => (left-- > 0 ? undefined : lease));
  expect(await writers.run('a', async () => 5)).toEqual({ kind: 'done', result: 5 });
  const { writers: hopeless } = createWriters(async () => undefined);
  expect(await hopeless.run('a', async () => 5)).toEqual({ kind: 'busy' });
});

test('work is notified when its lease is lost, and a failure ends its turn', async () => {
  const { writers, beat } = createWriters(async () => ({
    renew: async () => false,
    release: async () => {},
  }));
  const told = await writers.run('a', async (lost) => {
    beat();
    await new Promise((resolve) => setImmediate(resolve));
    return lost.aborted;
  });
  expect(told).toEqual({ kind: 'done', result: true });
  await expect(
    writers.run('a', async () => {
      throw new Error('failed');
    }),
  ).rejects.toThrow('failed');
  expect((await writers.run('a', async () => 5)).kind).toBe('done');
});
