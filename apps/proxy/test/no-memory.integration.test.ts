import { ByteBudget } from '@winnow/service';
import { expect, it } from 'vitest';
import { BodyCopy } from '../src/observe/kept-body.ts';

it('a copy of a body is given up if the system has no memory, and the response continues', () => {
  const budget = new ByteBudget(2 ** 52);
  const copy = new BodyCopy({ budget, limitBytes: 2 ** 52 });
  copy.add({ length: 2 ** 51 } as Uint8Array);
  expect(copy.isGivenUp).toBe(true);
  expect(budget.take(2 ** 52)).toBe(true);
});
