import { expect, test } from 'vitest';
import { baselineCheckout, versionsLine } from '../src/checkout.ts';
import { InputError } from '../src/input-error.ts';

test('takes only a checkout for a baseline', () => {
  expect(() => baselineCheckout('/nowhere')).toThrow(InputError);
  expect(() => baselineCheckout('/nowhere')).toThrow('--baseline: /nowhere is not a checkout of Winnow');
});

test('names the commit of each checkout', () => {
  expect(versionsLine({ winnow: 'abc', baseline: 'def-dirty' })).toBe(
    'Commits: winnow abc, baseline def-dirty.',
  );
});
