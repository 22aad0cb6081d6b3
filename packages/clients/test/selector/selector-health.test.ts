import { expect, test } from 'vitest';
import { SelectorHealth } from '../../src/selector/selector-client.ts';

function healthAt() {
  let time = 0;
  const health = new SelectorHealth({ failures: 5, openMs: 5_000, now: () => time });
  const each = (count: number, tools: number, end: (health: SelectorHealth) => void) => {
    for (let made = 0; made < count; made++) if (health.admit(tools)) end(health);
  };
  return {
    health,
    each,
    pass: (ms: number) => {
      time += ms;
    },
  };
}

test('huge catalogues that take too long block only huge catalogues', () => {
  const { health, each } = healthAt();
  each(20, 19_000, (one) => one.timedOut(19_000));
  expect(health.admit(19_000)).toBe(false);
  expect(health.state).toBe('open');
  for (const tools of [1, 100, 101, 5_000]) {
    expect(health.admit(tools)).toBe(true);
    health.answered(tools, 200);
  }
});

test.each([
  ['connections that fail', (one: SelectorHealth) => one.failed(10)],
  ['5xx', (one: SelectorHealth) => one.answered(10, 503)],
])('%s block all searches', (_, end) => {
  const { health, each } = healthAt();
  each(4, 10, end);
  expect(health.admit(10)).toBe(true);
  health.abandoned(10);
  each(1, 10, end);
  for (const tools of [10, 500, 20_000]) expect(health.admit(tools)).toBe(false);
});

test('refusals of single requests and clients that leave block nothing', () => {
  const { health, each } = healthAt();
  each(20, 10, (one) => one.answered(10, 413));
  each(20, 10, (one) => one.abandoned(10));
  expect(health.state).toBe('closed');
});

test('one search tests the selector after a while, and its outcome counts', () => {
  const { health, each, pass } = healthAt();
  each(5, 10, (one) => one.timedOut(10));
  expect(health.admit(10)).toBe(false);
  pass(5_000);
  expect(health.admit(10)).toBe(true);
  expect(health.admit(10)).toBe(false);
  health.answered(10, 200);
  expect(health.admit(10)).toBe(true);
  health.answered(10, 200);
  expect(health.state).toBe('closed');
});

test('a search that its size keeps back leaves the test of the connection to another', () => {
  const { health, each, pass } = healthAt();
  each(4, 19_000, (one) => one.timedOut(19_000));
  each(4, 10, (one) => one.failed(10));
  expect([health.admit(19_000), health.admit(10)]).toEqual([true, true]);
  health.failed(10);
  pass(2_000);
  health.timedOut(19_000);
  pass(3_000);
  // The connection may be tested again, and the large size not yet.
  expect(health.admit(19_000)).toBe(false);
  expect(health.admit(10)).toBe(true);
  health.answered(10, 200);
  expect(health.admit(500)).toBe(true);
});
