import { expect, test } from 'vitest';
import { toSteps } from '../../src/attach/letta-steps.ts';
import { measureAttach } from '../../src/attach/measure-attach.ts';

test('measures requests that change an agent, and the same calls by a process that only makes them', async () => {
  const measured = await measureAttach({ tools: 200, warmUp: 5, requests: 10 });
  expect(measured).toMatchObject({ tools: 200, requests: 10 });
  expect(measured.calls).toBeGreaterThan(3);
  expect(measured.serviceMs).toBeGreaterThan(0);
  expect(measured.callsMs).toBeGreaterThan(0);
});

test('groups adjacent calls of one kind into steps of at most eight', () => {
  const call = (route: 'attach' | 'read_agent', number: number) =>
    ({ number, route, method: 'PATCH', path: `/${number}`, query: '' }) as const;
  const calls = [call('read_agent', 0), ...Array.from({ length: 10 }, (_, at) => call('attach', at + 1))];
  expect(toSteps(calls).map((step) => step.length)).toEqual([1, 8, 2]);
});
