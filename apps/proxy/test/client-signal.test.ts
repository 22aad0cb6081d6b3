import { expect, test } from 'vitest';
import { ClientSignal } from '../src/upstream/client.ts';

test('a client that stays triggers nothing', () => {
  const signal = new ClientSignal();
  signal.throwIfAborted();
  expect([signal.aborted, signal.reason, signal.toAbortSignal().aborted]).toEqual([false, undefined, false]);
});

test('listeners are called once when the client has left, in order, and late ones immediately', () => {
  const signal = new ClientSignal();
  const told: string[] = [];
  const listener = (name: string) => ({ onLeave: ({ message }: Error) => told.push(`${name}: ${message}`) });
  const gone = listener('gone');
  for (const one of [listener('first'), gone, listener('second')]) signal.add(one);
  signal.remove(gone);
  signal.remove(gone);
  signal.abort();
  signal.abort();
  signal.add(listener('late'));
  const message = 'the client disconnected before its response was complete';
  expect(told).toEqual([`first: ${message}`, `second: ${message}`, `late: ${message}`]);
  expect(() => signal.throwIfAborted()).toThrow(message);
});

test.each(['before', 'after'])('a standard signal created %s the client leaves is aborted', (when) => {
  const signal = new ClientSignal();
  if (when === 'before') signal.toAbortSignal();
  signal.abort();
  const standard = signal.toAbortSignal();
  expect([standard.aborted, standard.reason]).toEqual([true, signal.reason]);
  expect(signal.toAbortSignal()).toBe(standard);
});
