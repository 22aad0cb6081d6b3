import { expect, test } from 'vitest';
import { redisProblem } from '../src/sessions/guarded-link.ts';

test('an error that lists itself among its causes is classified by its own message', () => {
  const lost = Object.assign(new Error('Connection is closed.'), { previousErrors: [] as Error[] });
  lost.previousErrors.push(lost);
  expect(redisProblem(lost)).toBe('unreachable');
});

test('a discarded transaction has the problem of its first command', () => {
  const full = new Error("OOM command not allowed when used memory > 'maxmemory'.");
  const aborted = new Error('EXECABORT Transaction discarded because of previous errors.');
  expect(redisProblem(Object.assign(aborted, { previousErrors: [full] }))).toBe('full');
});
