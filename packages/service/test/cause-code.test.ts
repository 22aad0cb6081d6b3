import { expect, test } from 'vitest';
import { causeCode } from '../src/log.ts';

test('the cause is the innermost code of the chain, and never a text', () => {
  const socket = Object.assign(new Error('x'), { code: 'ENOTFOUND' });
  expect(
    causeCode(
      new Error('outer', { cause: Object.assign(new Error('y', { cause: socket }), { code: 'UND_ERR' }) }),
    ),
  ).toBe('ENOTFOUND');
  expect(causeCode(Object.assign(new Error('x'), { code: 'a sentence' }))).toBeUndefined();
  expect(causeCode('text')).toBeUndefined();
});
