import { expect, test } from 'vitest';
import { watchList } from '../../src/index.ts';

function watched() {
  const waiting = new Set<() => void>();
  let hear = () => {};
  let [names, isWanted, told, reads] = [['a'], true, 0, 0];
  const stop = watchList({
    registry: {
      onChange: (listener) => {
        hear = () => listener({ type: 'refreshed' } as never);
        return () => {
          hear = () => {};
        };
      },
    },
    listTools: async () => {
      reads++;
      return names.map((name) => ({ name, inputSchema: {} }));
    },
    isWanted: () => isWanted,
    onListChanged: () => told++,
    after: (_, call) => {
      waiting.add(call);
      return () => waiting.delete(call);
    },
  });
  const settle = async () => {
    for (const call of waiting) {
      waiting.delete(call);
      call();
    }
    await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    change: () => hear(),
    settle,
    stop,
    list: (...list: string[]) => {
      names = list;
    },
    want: (wanted: boolean) => {
      isWanted = wanted;
    },
    waiting,
    told: () => told,
    reads: () => reads,
  };
}

test('a list that became another one is reported once for many changes', async () => {
  const one = watched();
  one.list('a', 'b');
  for (let n = 0; n < 100; n++) one.change();
  expect(one.waiting.size).toBe(1);
  await one.settle();
  expect([one.told(), one.reads()]).toEqual([1, 2]);
});

test('changes that leave the list as it is are not told of', async () => {
  const one = watched();
  one.change();
  await one.settle();
  expect(one.told()).toBe(0);
});

test('the list is not read while no one watches it', async () => {
  const one = watched();
  one.want(false);
  one.list('b');
  one.change();
  await one.settle();
  expect([one.told(), one.reads()]).toEqual([0, 1]);
});

test('what ends the watch ends what waits', () => {
  const one = watched();
  one.change();
  one.stop();
  one.change();
  expect(one.waiting.size).toBe(0);
});
