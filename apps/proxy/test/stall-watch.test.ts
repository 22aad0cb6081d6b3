import { expect, test } from 'vitest';
import { StallWatch } from '../src/exchange/receive-request.ts';

/** A watch with checks that the test triggers, and the stalled work in order. */
function watchByHand() {
  let look = () => {};
  const intervals: number[] = [];
  const stalled: string[] = [];
  const watch = new StallWatch(1_000, (intervalMs, callBack) => {
    intervals.push(intervalMs);
    look = callBack;
    return () => {
      look = () => {};
    };
  });
  const add = (name: string) => watch.watch({ stalled: (idleMs) => stalled.push(`${name} ${idleMs}`) });
  const lookTimes = (times: number) => {
    for (let time = 0; time < times; time++) look();
  };
  return { watch, add, lookTimes, intervals, stalled };
}

test('one timer checks all work, four times per idle period', () => {
  const { add, lookTimes, intervals, stalled } = watchByHand();
  add('first');
  lookTimes(1);
  add('second');
  lookTimes(3);
  expect([intervals, stalled]).toEqual([[250], []]);
  lookTimes(1);
  expect(stalled).toEqual(['first 1000']);
  lookTimes(10);
  expect(stalled).toEqual(['first 1000', 'second 1000']);
});

test('work that makes progress is left alone', () => {
  const { add, lookTimes, stalled } = watchByHand();
  const body = add('slow');
  for (let piece = 0; piece < 10; piece++) {
    lookTimes(4);
    body.heard();
  }
  expect(stalled).toEqual([]);
});

test('finished work is forgotten once, in any order', () => {
  const { add, lookTimes, stalled } = watchByHand();
  const bodies = ['a', 'b', 'c', 'd'].map(add);
  for (const at of [1, 3, 1]) bodies[at]!.stop();
  lookTimes(5);
  expect(stalled.toSorted()).toEqual(['a 1000', 'c 1000']);
});

test('a closed watch stops checking', () => {
  const { watch, add, lookTimes, stalled } = watchByHand();
  add('body');
  watch.close();
  lookTimes(10);
  expect(stalled).toEqual([]);
});
