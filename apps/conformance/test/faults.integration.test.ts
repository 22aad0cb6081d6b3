import { PassThrough } from 'node:stream';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { CASES, groupOf } from '../src/index.ts';
import { FAULTS } from './faults.ts';
import { caseOf, failuresIn, judgeRows, rowsOf, startProvider } from './judge-rows.ts';
import { type Fault, startReverseProxy } from './reverse-proxy.ts';

async function startProxy(fault: Fault = {}) {
  const provider = await startProvider();
  const proxy = await startReverseProxy(provider.url, 0, fault);
  onTestFinished(() => proxy.close());
  return { provider, proxy };
}

/** By day, a sample: the kit rarely changes. */
const isExhaustive = inject('isExhaustive');

const withoutDeferral = CASES.filter((one) => groupOf(one) !== 'deferral');

test('a correct reverse proxy passes every case that does not claim deferral', async () => {
  const { provider, proxy } = await startProxy();
  const cases = withoutDeferral.filter((one, at) => isExhaustive || (at % 4 === 0 && !one.isSlow));
  const rows = rowsOf(cases, isExhaustive);
  expect(failuresIn(await judgeRows(rows, proxy.url, provider))).toEqual([]);
}, 240_000);

/** Changes that leave everything as it is. */
const NO_CHANGES: readonly [string, Fault][] = [
  ['requests', { requestBody: (body) => body }],
  ['responses', { responseStream: () => new PassThrough() }],
];

test.each(isExhaustive ? NO_CHANGES : [])(
  'the faults lie in what is changed, not in the change: %s that are changed into themselves pass',
  async (_, fault) => {
    const { provider, proxy } = await startProxy(fault);
    // Nothing is changed while nothing is sent.
    const rows = rowsOf(withoutDeferral, false).filter(
      ({ one }) => !one.id.startsWith('cancellation/') && !one.isSlow,
    );
    expect(failuresIn(await judgeRows(rows, proxy.url, provider))).toEqual([]);
  },
  240_000,
);

describe('a gateway that', () => {
  test.each(Object.entries(FAULTS).filter((_, at) => isExhaustive || at % 10 === 0))(
    '%s is caught by each case that should',
    async (_, { fault, catches }) => {
      const { provider, proxy } = await startProxy(fault);
      const missed: string[] = [];
      for (const one of catches.map(caseOf)) {
        // One format is enough: it stands for all in which the fault shows.
        let isCaught = false;
        for (const format of one.formats) {
          const [verdict] = await judgeRows([{ one, format }], proxy.url, provider, { patienceMs: 300 });
          isCaught ||= verdict!.faults.length > 0;
          if (isCaught) break;
        }
        if (!isCaught) missed.push(one.id);
      }
      expect(missed).toEqual([]);
    },
    60_000,
  );

  test('has a fault is there for every case', () => {
    const caught = new Set(Object.values(FAULTS).flatMap(({ catches }) => catches));
    expect(withoutDeferral.map(({ id }) => id).filter((id) => !caught.has(id))).toEqual([]);
  });
});
