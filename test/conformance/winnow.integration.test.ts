import { CASES, groupOf } from '@winnow/testkit';
import { expect, inject, onTestFinished, test } from 'vitest';
import { DEFERRAL_FAULTS } from './deferral-faults.ts';
import { caseOf, failuresIn, judgeRows, rowsOf, startProvider } from './judge-rows.ts';
import { startReverseProxy } from './reverse-proxy.ts';
import { startWinnow } from './start-winnow.ts';

test('Winnow passes every case', async () => {
  const provider = await startProvider();
  const winnow = await startWinnow(provider.url);
  const rows = rowsOf(CASES, inject('isExhaustive'));
  expect(failuresIn(await judgeRows(rows, winnow.url, provider, { holdsBack: true }))).toEqual([]);
}, 240_000);

const LEFT_ALONE = ['bodies', 'headers', 'streams', 'errors'];

/** All rollout modes that alter nothing; with so low a percentage, no session is inside. */
test.each([
  { PROXY_ROLLOUT_MODE: 'off' },
  { PROXY_ROLLOUT_MODE: 'dark' },
  { PROXY_ROLLOUT_MODE: 'shadow' },
  { PROXY_ROLLOUT_MODE: 'partial', PROXY_ROLLOUT_PERCENT: '0.0001' },
])(
  'Winnow leaves bodies, headers, streams and errors alone with $PROXY_ROLLOUT_MODE',
  async (settings) => {
    const provider = await startProvider();
    const winnow = await startWinnow(provider.url, settings);
    // Silence lasts for seconds, and no mode has a time limit of its own.
    const cases = CASES.filter((one) => LEFT_ALONE.includes(groupOf(one)) && !one.isSlow);
    const rows = rowsOf(cases, inject('isExhaustive'));
    expect(failuresIn(await judgeRows(rows, winnow.url, provider))).toEqual([]);
  },
  240_000,
);

test('Winnow passes every conversation in every format', async () => {
  const provider = await startProvider();
  const winnow = await startWinnow(provider.url);
  const rows = rowsOf(
    CASES.filter(({ play }) => play.kind === 'conversation'),
    true,
  );
  expect(failuresIn(await judgeRows(rows, winnow.url, provider))).toEqual([]);
}, 60_000);

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
    const rows = catches.map((id) => ({ one: caseOf(id), format: 'openai-chat' as const }));
    const verdicts = await judgeRows(rows, front.url, provider, { patienceMs: 1_000 });
    expect(verdicts.filter(({ faults }) => faults.length === 0).map(({ id }) => id)).toEqual([]);
  },
);

test('there is a deferring gateway with a fault for every case of deferral', () => {
  const caught = new Set(Object.values(DEFERRAL_FAULTS).flatMap(({ catches }) => catches));
  const ids = CASES.filter((one) => groupOf(one) === 'deferral').map(({ id }) => id);
  expect(ids.filter((id) => !caught.has(id))).toEqual([]);
});
