import { expect, test } from 'vitest';
import type { ChangeEvent } from '../src/changes/change-history.ts';
import { ChangeHistory } from '../src/changes/change-history.ts';

const entry = (version: number, events: number) => ({
  version,
  at: 0,
  events: Array.from({ length: events }, (_, index) => ({ version, index }) as unknown as ChangeEvent),
});

/** 60 changes of 300 events each, of which 50 are kept. */
function historyOf() {
  const history = new ChangeHistory([], 0);
  for (let version = 1; version <= 60; version++) history.add(entry(version, 300));
  return history;
}

test('R35: continues after the newest change that is forgotten, and not within it', () => {
  const history = historyOf();
  const forgotten = history.keepFrom - 1;
  expect(forgotten).toBe(10);
  expect(history.since({ version: forgotten, index: Infinity }, 60)).toHaveLength(50 * 300);
  // The rest of that change is gone: a follower that has a part of it must list again.
  for (const index of [0, 1, 298, 299])
    expect(history.since({ version: forgotten, index }, 60)).toBeUndefined();
  expect(history.since({ version: forgotten - 1, index: Infinity }, 60)).toBeUndefined();
});

test('R35: continues within a change that is kept, and not ahead of the newest', () => {
  const history = historyOf();
  expect(history.since({ version: 60, index: 297 }, 60)).toMatchObject([
    { version: 60, index: 298 },
    { version: 60, index: 299 },
  ]);
  expect(history.since({ version: 60, index: Infinity }, 60)).toEqual([]);
  expect(history.since({ version: 61, index: 0 }, 60)).toBeUndefined();
});
