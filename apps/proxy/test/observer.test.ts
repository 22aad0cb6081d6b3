import type { ExchangeRecord, RolloutArm } from '@winnow/core';
import { FORMATS } from '@winnow/wire';
import { describe, expect, it } from 'vitest';
import type { TappedExchange } from '../src/observe/exchange-tap.ts';
import type { ObservationOrder, Observed } from '../src/observe/observation-order.ts';
import { Observer } from '../src/observe/observer.ts';

const OBSERVED: Observed = { planReason: 'deferred', observation: { status: 'done' } };
const MIB = 1024 * 1024;

/** An observer with a thread that answers when the test says so. */
function startObserver({ maxBodyBytes = 50 * MIB } = {}) {
  const orders: { order: ObservationOrder; answer: (observed: Observed | undefined) => void }[] = [];
  const taken: ExchangeRecord[] = [];
  const defects: unknown[] = [];
  const thread = {
    isReady: true,
    isClosed: false,
    observe: (order: ObservationOrder) => {
      const { promise, resolve } = Promise.withResolvers<Observed | undefined>();
      orders.push({ order, answer: resolve });
      return promise;
    },
    close: async () => {
      thread.isClosed = true;
    },
  };
  const observer = new Observer({
    thread,
    takeRecord: (record) => taken.push(structuredClone(record)),
    onDefect: (error) => defects.push(error),
    maxBodyBytes,
  });
  return { observer, thread, orders, taken, defects };
}

function exchangeOf(arm: RolloutArm, { isWhole = true } = {}): TappedExchange {
  return {
    arm,
    request: { headers: {}, body: { isWhole } },
    identity: { origin: {} },
    head: { requestId: 'request' },
    span: { headers: {} },
    target: { upstream: { name: 'openai' }, query: '' },
    format: FORMATS[0]!,
    purpose: 'answer',
  } as unknown as TappedExchange;
}

const recordOf = (requestId = 'request') => ({ requestId, planReason: 'not_read' }) as ExchangeRecord;

/** Taps one exchange with a request of this size in bytes. */
function pass({ observer }: ReturnType<typeof startObserver>, requestId: string, bytes = 10): void {
  const tap = observer.tap(exchangeOf('shadow'), 'shadow')!;
  tap.takeRequest(new Uint8Array(bytes));
  observer.takeRecord(recordOf(requestId), tap);
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const never = () => new AbortController().signal;

describe('Observer', () => {
  it.each(['off', 'full'] as const)('passes on at once what is not tapped (%s)', (arm) => {
    const { observer, taken, orders } = startObserver();
    const tap = observer.tap(exchangeOf(arm), arm);
    expect(tap).toBeUndefined();
    observer.takeRecord(recordOf(), tap);
    expect([taken, orders]).toEqual([[recordOf()], []]);
  });

  it('passes a tapped exchange on once, after observing it', async () => {
    const stage = startObserver();
    pass(stage, 'one');
    expect(stage.taken).toEqual([]);
    stage.orders[0]!.answer(OBSERVED);
    await turn();
    expect(stage.taken).toEqual([{ ...recordOf('one'), ...OBSERVED }]);
  });

  it('counts an observation without a result as failed', async () => {
    const stage = startObserver();
    pass(stage, 'one');
    stage.orders[0]!.answer(undefined);
    await turn();
    expect(stage.taken).toMatchObject([{ planReason: 'not_read', observation: { status: 'failed' } }]);
  });

  it('survives a thread that rejects orders', async () => {
    const stage = startObserver();
    const error = new TypeError('a defect');
    stage.thread.observe = () => {
      throw error;
    };
    pass(stage, 'one');
    await turn();
    expect(stage.taken).toMatchObject([{ observation: { status: 'failed' } }]);
    expect(stage.defects).toEqual([error]);
  });

  it('does not observe an incomplete request', () => {
    const { observer, taken } = startObserver();
    const tap = observer.tap(exchangeOf('shadow', { isWhole: false }), 'shadow')!;
    tap.takeRequest(new Uint8Array(10));
    observer.takeRecord(recordOf(), tap);
    expect(taken).toEqual([recordOf()]);
  });

  it('observes four exchanges at a time, lets 500 wait, and drops the rest at once', async () => {
    const stage = startObserver();
    for (let number = 0; number < 506; number++) pass(stage, `request ${number}`);
    expect(stage.orders).toHaveLength(4);
    expect(stage.taken.map(({ requestId }) => requestId)).toEqual(['request 504', 'request 505']);
    expect(stage.taken.every(({ observation }) => observation!.status === 'dropped')).toBe(true);
    for (let answered = 0; answered < 504; answered++) {
      stage.orders[answered]!.answer(OBSERVED);
      await turn();
    }
    expect(stage.taken).toHaveLength(506);
    expect(stage.taken.filter(({ observation }) => observation!.status === 'done')).toHaveLength(504);
  });

  it('drops exchanges beyond 128 MiB, and has room again after an observation', async () => {
    const stage = startObserver();
    for (let number = 0; number < 5; number++) pass(stage, `request ${number}`, 30 * MIB);
    expect(stage.taken).toMatchObject([{ requestId: 'request 4', observation: { status: 'dropped' } }]);
    stage.orders[0]!.answer(OBSERVED);
    await turn();
    pass(stage, 'later', 30 * MIB);
    expect(stage.taken).toHaveLength(2);
  });

  it.each([
    ['a body above the limit of requests', 10 * MIB, 11 * MIB],
    ['a body above 32 MiB', 50 * MIB, 33 * MIB],
  ])('drops %s', (_, maxBodyBytes, bytes) => {
    const stage = startObserver({ maxBodyBytes });
    pass(stage, 'large', bytes);
    expect(stage.taken).toMatchObject([{ observation: { status: 'dropped' } }]);
  });

  it('drops exchanges while the thread rests', () => {
    const stage = startObserver();
    stage.thread.isReady = false;
    pass(stage, 'one');
    expect(stage.taken).toMatchObject([{ observation: { status: 'dropped' } }]);
  });

  it('returns the memory of a client that continues sending after its response', () => {
    const stage = startObserver();
    for (let number = 0; number < 5; number++) {
      const tap = stage.observer.tap(exchangeOf('shadow', { isWhole: false }), 'shadow')!;
      tap.takeRequest(new Uint8Array(30 * MIB));
      stage.observer.takeRecord(recordOf(), tap);
      tap.takeRequest(new Uint8Array(30 * MIB));
    }
    pass(stage, 'later', 30 * MIB);
    expect(stage.orders).toHaveLength(1);
  });

  it('waits for running observations when it closes', async () => {
    const stage = startObserver();
    pass(stage, 'one');
    let isClosed = false;
    const closing = stage.observer.close(never()).then(() => {
      isClosed = true;
    });
    await turn();
    expect(isClosed).toBe(false);
    stage.orders[0]!.answer(OBSERVED);
    await closing;
    expect(stage.thread.isClosed).toBe(true);
    expect(stage.taken).toMatchObject([{ observation: { status: 'done' } }]);
  });

  it('drops the rest if that takes too long, and reports nothing twice', async () => {
    const stage = startObserver();
    for (let number = 0; number < 10; number++) pass(stage, `request ${number}`);
    const deadline = new AbortController();
    const closing = stage.observer.close(deadline.signal);
    deadline.abort();
    await closing;
    expect(stage.taken.map(({ observation }) => observation!.status)).toEqual(Array(10).fill('dropped'));
    for (const { answer } of stage.orders) answer(OBSERVED);
    await turn();
    expect(stage.taken).toHaveLength(10);
    expect(stage.orders).toHaveLength(4);
  });

  it('drops exchanges that end after it has closed', async () => {
    const stage = startObserver();
    await stage.observer.close(never());
    pass(stage, 'late');
    expect(stage.taken).toMatchObject([{ observation: { status: 'dropped' } }]);
  });
});

it('survives a record that cannot be processed, and reports the defect', async () => {
  const defects: unknown[] = [];
  const failure = new Error('no counter takes this');
  const observer = new Observer({
    thread: { isReady: true, observe: async () => OBSERVED, close: async () => {} },
    takeRecord: () => {
      throw failure;
    },
    onDefect: (error) => defects.push(error),
    maxBodyBytes: MIB,
  });
  expect(() => observer.takeRecord(recordOf())).not.toThrow();
  observer.takeRecord(recordOf(), observer.tap(exchangeOf('shadow'), 'shadow'));
  await observer.close(new AbortController().signal);
  expect(defects).toEqual([failure, failure]);
});
