import { expect, test } from 'vitest';
import { RunningCalls } from '../../src/front-door/protocol/create-protocol-server.ts';

const STAYS = new AbortController().signal;

test('a call is taken back by the session that made it, and by its own id alone', () => {
  const calls = new RunningCalls();
  const call = calls.begin('a', 1, STAYS);
  calls.cancel('b', 1);
  calls.cancel('a', '1');
  calls.cancel('a', 2);
  expect(call.signal.aborted).toBe(false);
  calls.cancel('a', 1);
  expect(call.signal.aborted).toBe(true);
});

test('a client that disconnects cancels its call', () => {
  const left = new AbortController();
  const call = new RunningCalls().begin('a', 1, left.signal);
  left.abort();
  expect(call.signal.aborted).toBe(true);
});

test('a call that is over is forgotten, and is not taken for a later one of the same id', () => {
  const calls = new RunningCalls();
  const first = calls.begin('a', 1, STAYS);
  const second = calls.begin('a', 1, STAYS);
  first.end();
  calls.cancel('a', 1);
  expect([first.signal.aborted, second.signal.aborted]).toEqual([false, true]);
  second.end();
  expect(calls.size).toBe(0);
});
