import { expect, it } from 'vitest';
import { Slots } from '../../src/index.ts';

it('runs a limited number at once, and the others in order', async () => {
  const slots = new Slots(2);
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const begun: number[] = [];
  const runs = gates.map(({ promise }, number) =>
    slots.run(async () => {
      begun.push(number);
      await promise;
      return number;
    }),
  );
  expect(begun).toEqual([0, 1]);
  gates[1]!.resolve();
  await runs[1];
  expect(begun).toEqual([0, 1, 2]);
  for (const { resolve } of gates) resolve();
  expect(await Promise.all(runs)).toEqual([0, 1, 2, 3, 4]);
  expect(begun).toEqual([0, 1, 2, 3, 4]);
});

it('reports a failure, and passes its slot to the next task', async () => {
  const slots = new Slots(1);
  const failing = slots.run(() => Promise.reject(new Error('no luck')));
  const next = slots.run(async () => 'luck');
  await expect(failing).rejects.toThrow('no luck');
  expect(await next).toBe('luck');
});
