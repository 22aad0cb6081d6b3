import type { StoredRecord } from '@winnow/core';
import { expect, test } from 'vitest';
import { partsOf } from '../src/tables/parts.ts';
import { makeRecords } from './make-records.ts';
import { reportOn } from './report-on.ts';

const RECORDS = makeRecords({ seed: 7, exchanges: 4, reasons: ['rollout_full'] });

const withOffers: StoredRecord[] = [
  {
    ...RECORDS[0]!,
    registryOffer: 'made',
    registryCalls: [
      { tool: 'search_tools', outcome: 'ok', chars: 10, ms: 5 },
      { tool: 'call_tool', outcome: 'not_read_only', chars: 10, ms: 7 },
      { tool: 'call_tool', outcome: 'of a newer version', chars: 10, ms: 9 },
    ],
  },
  { ...RECORDS[1]!, registryOffer: 'name_collision' },
  { ...RECORDS[2]!, registryOffer: 'of a newer version' },
  RECORDS[3]!,
];

const partOf = (records: readonly StoredRecord[]) =>
  partsOf(reportOn(records)).find(({ id }) => id === 'registry-tools');

test('counts wishes for the registry`s tools, and calls of them', () => {
  const { offers } = reportOn(withOffers);
  expect(offers).toMatchObject({
    asked: 3,
    offers: { made: 1, name_collision: 1, unknown: 1 },
    calls: 3,
    outcomes: { 'search_tools ok': 1, 'call_tool not_read_only': 1, 'call_tool unknown': 1 },
    ms: { count: 3, max: 9 },
  });
});

test('says so in a part of its own', () => {
  const part = partOf(withOffers)!;
  expect(part.sentences).toEqual(["3 requests asked for the registry's tools; models called them 3 times."]);
  expect(part.tables.map(({ title, rows }) => [title, rows.length])).toEqual([
    ['Offers', 3],
    ['Calls, by tool and outcome', 3],
  ]);
});

test('says nothing where no one asked', () => {
  expect(partOf(RECORDS)).toBeUndefined();
});

test('gives each outcome in words, with its share', () => {
  expect(partOf(withOffers)!.tables[0]!.rows).toEqual([
    ['made', '1', '33.3%'],
    ['not made: the client has a tool with one of these names', '1', '33.3%'],
    ['for a reason that this version does not know', '1', '33.3%'],
  ]);
});
