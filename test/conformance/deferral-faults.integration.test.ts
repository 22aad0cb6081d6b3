import { CASES, groupOf } from '@winnow/conformance';
import { expect, onTestFinished, test } from 'vitest';
import { caseOf, judgeRows, startProvider } from '../../apps/conformance/test/judge-rows.ts';
import { startReverseProxy } from '../../apps/conformance/test/reverse-proxy.ts';
import { DEFERRAL_FAULTS } from './deferral-faults.ts';
import { startWinnow } from './start-winnow.ts';

test.each(Object.entries(DEFERRAL_FAULTS))(
  'a deferring gateway that %s is caught',
  async (_, { place, fault, catches }) => {
    const provider = await startProvider();
    // The fault stands between Winnow and the provider, or between the client and Winnow.
    const behind = await startReverseProxy(provider.url, 0, place === 'behind' ? fault : {});
    const winnow = await startWinnow(behind.url);
    const front = await startReverseProxy(winnow.url, 0, place === 'front' ? fault : {});
    onTestFinished(async () => {
      await Promise.all([front.close(), behind.close()]);
    });
    const rows = catches.map(caseOf).map((one) => ({ one, format: one.formats[0]! }));
    const verdicts = await judgeRows(rows, front.url, provider, { patienceMs: 1_000 });
    expect(verdicts.filter(({ faults }) => faults.length === 0).map(({ id }) => id)).toEqual([]);
  },
);

test('there is a deferring gateway with a fault for every case of deferral', () => {
  const caught = new Set(Object.values(DEFERRAL_FAULTS).flatMap(({ catches }) => catches));
  const ids = CASES.filter((one) => groupOf(one) === 'deferral').map(({ id }) => id);
  expect(ids.filter((id) => !caught.has(id))).toEqual([]);
});
