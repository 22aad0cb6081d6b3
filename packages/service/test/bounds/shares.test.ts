import { describe, expect, test } from 'vitest';
import { Admission } from '../../src/api/admission.ts';
import { Shares } from '../../src/index.ts';

const A1 = { tenant: 'a' };
const A2 = { tenant: 'a' };
const B1 = { tenant: 'b' };

/** Takes places until none is left for a party; returns their number. */
function takeAll(shares: Shares, party: { readonly tenant: string }): number {
  let count = 0;
  while (shares.take(party)) count += 1;
  return count;
}

describe('shares of places', () => {
  test('are everything for a party without others', () => {
    expect(takeAll(new Shares(128, [A1]), A1)).toBe(128);
    expect(takeAll(new Shares(128, []), A1)).toBe(128);
  });

  test('leave half to other tenants, however many one of them wants', () => {
    const shares = new Shares(128, [A1, B1]);
    expect(takeAll(shares, A1)).toBe(64);
    expect(takeAll(shares, B1)).toBe(32);
    expect(shares.taken).toBe(96);
  });

  test('are shared again among other parties, without those that are taken', () => {
    const shares = new Shares(128, [A1]);
    for (let taken = 0; taken < 60; taken++) shares.take(A1);
    shares.use([A1, B1]);
    expect(takeAll(shares, A1)).toBe(4);
    expect(takeAll(shares, B1)).toBe(32);
    shares.use([A1], 100);
    expect(takeAll(shares, A1)).toBe(4);
  });

  test('leave places to other tokens of a tenant', () => {
    const shares = new Shares(128, [A1, A2]);
    expect(takeAll(shares, A1)).toBe(64);
    expect(takeAll(shares, A2)).toBe(32);
  });

  test('leave places to other tokens of a tenant and to other tenants', () => {
    const shares = new Shares(128, [A1, A2, B1]);
    expect(takeAll(shares, A1)).toBe(32);
    expect(takeAll(shares, A2)).toBe(16);
    expect(takeAll(shares, B1)).toBe(40);
  });

  test('have a place for each of two tenants where there are two', () => {
    const shares = new Shares(2, [A1, B1]);
    expect(takeAll(shares, A1)).toBe(1);
    expect(takeAll(shares, B1)).toBe(1);
  });

  test('are none of no places', () => {
    expect(takeAll(new Shares(0, [A1, B1]), A1)).toBe(0);
  });

  test('are free again once they are given back, each once', () => {
    const shares = new Shares(2, [A1, B1]);
    const give = shares.take(A1)!;
    expect(shares.take(A1)).toBeUndefined();
    give();
    give();
    expect(shares.taken).toBe(0);
    expect(takeAll(shares, A1)).toBe(1);
  });

  test('run a call in a place, also when it fails, and refuse others in the meantime', async () => {
    const shares = new Shares(1, [A1]);
    const failing = shares.of(A1).run(() => Promise.reject(new Error('no')), 'refused');
    expect(await shares.of(A1).run(async () => 'done', 'refused')).toBe('refused');
    await expect(failing).rejects.toThrow('no');
    expect(await shares.of(A1).run(async () => 'done', 'refused')).toBe('done');
  });
});

test('waiting requests of one tenant leave room to another', () => {
  const admission = new Admission(4, [A1, B1]);
  const leave = admission.enter(A1);
  admission.enter(A1);
  expect(() => admission.enter(A1)).toThrow('Too many requests are waiting.');
  admission.enter(B1);
  expect(admission.waiting).toBe(3);
  leave();
  expect(admission.waiting).toBe(2);
});
