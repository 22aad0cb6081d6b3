import { expect, test } from 'vitest';
import { type FailedTry, retryDelayMs } from '../src/exchange/ask-round.ts';

const LIMITS = { attempts: 2, leftMs: 10_000 };
const delayOf = (failed: Partial<FailedTry>) =>
  retryDelayMs({ status: 529, retryAfter: undefined, shouldRetry: undefined, tries: 1, ...failed }, LIMITS);

test('waits longer after each failure, as long as attempts are left', () => {
  expect([1, 2, 3].map((tries) => delayOf({ tries }))).toEqual([500, 1_000, undefined]);
});

test('waits as long as the server says, and never less than without its word', () => {
  expect(delayOf({ retryAfter: '3' })).toBe(3_000);
  expect([1, 2].map((tries) => delayOf({ retryAfter: '0', tries }))).toEqual([500, 1_000]);
  expect(delayOf({ retryAfter: '0.01' })).toBe(500);
});

test.each([408, 409, 429, 500, 502, 503, 504, 529, undefined])('retries after the status %s', (status) => {
  expect(delayOf({ status })).toBe(500);
});

test.each([400, 401, 403, 404, 413, 422])('does not retry after the status %s', (status) => {
  expect(delayOf({ status })).toBeUndefined();
});

test('does not retry if the server asks for more time than there is, or for none', () => {
  expect(delayOf({ retryAfter: '11' })).toBeUndefined();
  expect(delayOf({ retryAfter: 'Wed, 21 Oct 2026 07:28:00 GMT' })).toBeUndefined();
  for (const shouldRetry of ['false', 'False ']) expect(delayOf({ shouldRetry })).toBeUndefined();
  expect(delayOf({ shouldRetry: 'true' })).toBe(500);
});
