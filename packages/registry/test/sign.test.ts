import { expect, test } from 'vitest';
import { createMemoryStore } from '../src/index.ts';
import { makeRegistry } from './make-registry.ts';

test('a signature is the same on every instance, and differs by text, purpose, scope and epoch', async () => {
  const epoch = { id: 'a'.repeat(16), key: 'b'.repeat(64) };
  const instance = (scope: string, key = epoch.key) =>
    makeRegistry({ scope, store: createMemoryStore({ makeEpoch: () => ({ ...epoch, key }) }) });
  const [first, second] = [await instance('x'), await instance('x')];
  expect(first.sign('p', 'text')).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(second.sign('p', 'text')).toBe(first.sign('p', 'text'));
  const others = [
    first.sign('p', 'texts'),
    first.sign('q', 'text'),
    (await instance('y')).sign('p', 'text'),
    (await instance('x', 'c'.repeat(64))).sign('p', 'text'),
  ];
  expect(others).not.toContain(first.sign('p', 'text'));
  expect(new Set(others).size).toBe(4);
});
