import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeCalls } from '../src/exchange/observe-exchange.ts';

const names = fc.array(fc.constantFrom(...'abcdef'));

describe('judgeCalls', () => {
  it('names each deferred tool that was called, once, and those among them that would not have been shown', () => {
    const judged = judgeCalls({ calledNames: [...'bxabc'], deferred: [...'abcd'], shown: [...'ad'] });
    expect(judged).toEqual({ called: ['b', 'a', 'c'], wouldHaveMissed: ['b', 'c'] });
  });

  it('reports only calls that were deferred and not shown as missed', () => {
    fc.assert(
      fc.property(names, names, names, (calledNames, deferred, shown) => {
        const { called, wouldHaveMissed } = judgeCalls({ calledNames, deferred, shown });
        for (const name of 'abcdef') {
          const isJudged = calledNames.includes(name) && deferred.includes(name);
          expect(called.filter((one) => one === name)).toHaveLength(isJudged ? 1 : 0);
          expect(wouldHaveMissed.includes(name)).toBe(isJudged && !shown.includes(name));
        }
      }),
    );
  });

  it('misses nothing if everything is shown', () => {
    fc.assert(
      fc.property(names, names, (calledNames, deferred) => {
        expect(judgeCalls({ calledNames, deferred, shown: deferred }).wouldHaveMissed).toEqual([]);
      }),
    );
  });
});
