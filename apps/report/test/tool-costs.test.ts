import type { StoredRecord, ToolListRecord } from '@winnow/core';
import { expect, test } from 'vitest';
import { toolCostsPart } from '../src/tables/tool-costs-part.ts';
import { makeRecords } from './make-records.ts';
import { reportOn } from './report-on.ts';

const [RECORD] = makeRecords({ seed: 1, exchanges: 1, reasons: ['rollout_full'] }) as [StoredRecord];

/** An exchange that deferred tools of the list, and ended well. */
const exchange = (more: Partial<StoredRecord>): StoredRecord => ({
  ...RECORD,
  arm: 'full',
  planReason: 'deferred',
  outcome: 'answered',
  status: 200,
  searches: [],
  toolList: { id: 'a' },
  ...more,
});

const LIST: ToolListRecord = {
  version: 1,
  event: 'tool_list',
  time: RECORD.time,
  id: 'a',
  tools: [
    { name: 'read', bytes: 4_000, kept: true },
    { name: 'mcp__crm__find\u202e', bytes: 400 },
  ],
};

test('the report says what each server and tool costs, and which were never called', () => {
  const report = reportOn(
    [
      exchange({ called: ['mcp__crm__find\u202e'], time: '2026-11-27T08:15:00.000Z' }),
      exchange({ toolList: undefined }),
    ],
    undefined,
    [LIST],
  );
  const { sentences, tables } = toolCostsPart(report)!;
  expect(sentences).toEqual([
    '1 exchanges name their tools, 1 do not: 2 tools of 2 servers. Showing them took about 1,000 tokens.',
    '1 tools were never called; showing them took about 1,000 tokens.',
  ]);
  const [servers, tools, uncalled] = tables;
  expect(servers!.rows).toEqual([
    ['(no server in the name)', '1', '1', '1,000', '1', '1,000', '0', '0', '0', '–'],
    ['crm', '1', '0', '100', '0', '0', '0', '0', '1', '2026-11-27 08:15'],
  ]);
  expect(tools!.rows.map(([name]) => name)).toEqual(['read', 'mcp__crm__find\\u{202e}']);
  expect(uncalled!.rows.map(([name]) => name)).toEqual(['read']);
  for (const { columns, rows } of tables) for (const row of rows) expect(row).toHaveLength(columns.length);
});

test('calls that no record can tell are unknown, and the tool is not called uncalled', () => {
  const report = reportOn([exchange({ planReason: 'few_savings' })], undefined, [LIST]);
  const [servers, tools, uncalled] = toolCostsPart(report)!.tables;
  expect(servers!.rows[0]!.slice(0, 3)).toEqual(['(no server in the name)', '1', '0']);
  expect(tools!.rows[0]!.at(-2)).toBe('unknown');
  expect(uncalled!.rows).toEqual([]);
});

test('without lists of tools there is no such part', () => {
  expect(toolCostsPart(reportOn([exchange({})]))).toBeUndefined();
});
