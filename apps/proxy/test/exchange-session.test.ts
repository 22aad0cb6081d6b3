import { describe, expect, it } from 'vitest';
import { ExchangeSession } from '../src/exchange/exchange-session.ts';
import { PendingWork } from '../src/sessions/pending-work.ts';
import type { Session, SessionAddition, SessionStore } from '../src/sessions/session-store.ts';
import { hiddenTurn } from './session-store-contract.ts';

interface Scene {
  readonly stored?: Session;
  readonly isShared?: boolean;
  readonly fails?: boolean;
}

/** An exchange over a store whose every answer takes ten milliseconds of a clock of its own. */
function beginExchange({ stored = { loaded: [], hiddenTurns: [] }, isShared = true, fails = false }: Scene) {
  const clock = { now: 0 };
  const added: SessionAddition[] = [];
  const answer = async <Value>(value: Value) => {
    clock.now += 10;
    if (fails) throw new Error('the store is gone');
    return value;
  };
  const sessions: SessionStore = {
    isShared,
    read: () => answer(stored),
    add: async (_, addition) => {
      await answer(undefined);
      added.push(addition);
    },
    sweep: () => {},
  };
  const report = { sessionErrors: 0, sessionMs: 0 };
  const context = { sessions, pendingWork: new PendingWork(), effects: { now: () => clock.now } };
  const begin = (key: string | undefined) => new ExchangeSession(key, context, report);
  return { begin, session: begin('k'), added, report, clock };
}

describe('ExchangeSession', () => {
  const known = { loaded: ['a', 'b'], hiddenTurns: [hiddenTurn('1')] };

  it('stores nothing when there is nothing that the session did not hold', async () => {
    const { session, added } = beginExchange({ stored: known });
    await session.read();
    expect(await session.add(() => ({ loaded: ['b', 'a', 'b'], hiddenTurns: [hiddenTurn('1')] }))).toBe(0);
    expect(added).toEqual([]);
  });

  it('stores only what is new, each once', async () => {
    const { session, added } = beginExchange({ stored: known });
    await session.read();
    await session.add(() => ({
      loaded: ['c', 'a', 'c'],
      hiddenTurns: [hiddenTurn('1'), hiddenTurn('2'), hiddenTurn('2')],
    }));
    expect(added).toEqual([{ loaded: ['c'], hiddenTurns: [hiddenTurn('2')] }]);
  });

  it('tells what the store took, and not what there was to be gathered', async () => {
    const { session, report, clock } = beginExchange({});
    await session.read();
    expect(report.sessionMs).toBe(10);
    const storeMs = await session.add(async () => {
      clock.now += 1_000;
      return { loaded: ['a'], hiddenTurns: [] };
    });
    expect([storeMs, report.sessionMs]).toEqual([10, 10]);
  });

  it('counts each failure once, and goes on with an empty session', async () => {
    const { session, report } = beginExchange({ fails: true, stored: known });
    expect(await session.read()).toEqual({ loaded: [], hiddenTurns: [] });
    expect(report).toEqual({ sessionErrors: 1, sessionMs: 10 });
    expect(await session.add(() => ({ loaded: ['a'], hiddenTurns: [] }))).toBe(10);
    expect(report.sessionErrors).toBe(2);
    await session.add(() => Promise.reject(new Error('a defect')));
    expect(report.sessionErrors).toBe(3);
  });

  it('neither reads nor stores without a key', async () => {
    const { begin, added, report } = beginExchange({ stored: known });
    const session = begin(undefined);
    expect(await session.read()).toEqual({ loaded: [], hiddenTurns: [] });
    await session.add(() => known);
    expect([added, report]).toEqual([[], { sessionErrors: 0, sessionMs: 0 }]);
  });

  it.each([
    ['a key and a store that others read', 'k', true, true],
    ['no key', undefined, true, false],
    ['a store of this process', 'k', false, false],
  ])('knows with %s whether others may come next', (_, key, isShared, expected) => {
    expect(beginExchange({ isShared }).begin(key).isShared).toBe(expected);
  });
});
