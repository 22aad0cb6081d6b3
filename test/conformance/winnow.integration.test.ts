import { CASES, groupOf } from '@winnow/conformance';
import { expect, inject, test } from 'vitest';
import {
  caseOf,
  failuresIn,
  judgeRows,
  type Row,
  rowsOf,
  startProvider,
} from '../../apps/conformance/test/judge-rows.ts';
import { type LoadMode, startWinnow } from './start-winnow.ts';

test('Winnow passes every case of single exchanges', async () => {
  const provider = await startProvider();
  const winnow = await startWinnow(provider.url);
  // Conversations are tried below, in every format.
  const cases = CASES.filter(({ play }) => play.kind === 'exchanges');
  const rows = rowsOf(cases, inject('isExhaustive'));
  expect(failuresIn(await judgeRows(rows, winnow.url, provider, { holdsBack: true }))).toEqual([]);
}, 240_000);

const LEFT_ALONE = ['bodies', 'headers', 'streams', 'errors'];

/** All rollout modes that alter nothing; with so low a percentage, no session is inside. */
test.each([
  { PROXY_ROLLOUT_MODE: 'off' },
  ...(inject('isExhaustive') ? [{ PROXY_ROLLOUT_MODE: 'dark' }] : []),
  { PROXY_ROLLOUT_MODE: 'shadow' },
  { PROXY_ROLLOUT_MODE: 'partial', PROXY_ROLLOUT_PERCENT: '0.0001' },
])(
  'Winnow leaves bodies, headers, streams, errors and tools alone with $PROXY_ROLLOUT_MODE',
  async (settings) => {
    const provider = await startProvider();
    const winnow = await startWinnow(provider.url, settings);
    // Silence lasts for seconds, and no mode has a time limit of its own.
    const cases = CASES.filter((one) => LEFT_ALONE.includes(groupOf(one)) && !one.isSlow);
    // Tools are what the other mode alters, in each format in its own way.
    const rows = [...rowsOf(cases, inject('isExhaustive')), ...rowsOf([caseOf('limits/many-tools')], true)];
    expect(failuresIn(await judgeRows(rows, winnow.url, provider))).toEqual([]);
  },
  240_000,
);

/** Deferral in the formats that know the mode. Swapped tools change the head of a conversation, by design. */
const FORMATS_OF: Readonly<Record<LoadMode, (row: Row) => boolean>> = {
  bridge: () => true,
  swap: ({ one }) => !/head|usage/.test(one.id),
  native: ({ one, format }) => NATIVE.has(format) && !(format === 'gemini' && one.id.endsWith('head')),
};
const NATIVE = new Set(['openai-responses', 'anthropic-messages', 'bedrock-invoke']);

test.each(['bridge', 'swap', 'native'] as const)(
  'Winnow passes every conversation in every format, %s',
  async (loadMode) => {
    const provider = await startProvider();
    const winnow = await startWinnow(provider.url, {}, loadMode);
    const cases = CASES.filter(
      (one) => one.play.kind === 'conversation' || one.id === 'deferral/found-in-time',
    );
    // By day, one mode in every format, and each case in one format of each other mode.
    const rows = rowsOf(cases, loadMode === 'bridge' || inject('isExhaustive')).filter(FORMATS_OF[loadMode]);
    expect(failuresIn(await judgeRows(rows, winnow.url, provider))).toEqual([]);
  },
  120_000,
);
