import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { StoredRecord, ToolListRecord } from '@winnow/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSources, SourceError } from '../src/reading/open-source.ts';
import { LineSplitter, type Period, parseRecord, readRecords } from '../src/reading/read-records.ts';
import { makeRecords } from './make-records.ts';

const RECORDS = makeRecords({ seed: 1, exchanges: 40, reasons: ['rollout_full', 'rollout_shadow'] });
const SEARCH_OF_TOMORROW = { outcome: 'of_tomorrow', names: [], ms: 1 };
const LINES = `${RECORDS.map((record) => JSON.stringify(record)).join('\n')}\n`;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'report-reading-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function readAll(
  names: readonly string[],
  { stdin = '', period = {} }: { stdin?: string; period?: Period } = {},
) {
  const records: StoredRecord[] = [];
  const lists: ToolListRecord[] = [];
  let bytes = 0;
  const sources = await openSources(names, Readable.from([Buffer.from(stdin)]));
  const result = await readRecords(sources, {
    period,
    onRecord: (record) => records.push(record),
    onList: (list) => lists.push(list),
    onProgress: (more) => {
      bytes += more;
    },
  });
  return { ...result, records, lists, bytes };
}

test('lists of tools are read, whatever the period', async () => {
  const list = {
    version: 1,
    event: 'tool_list',
    time: '2026-11-20T08:00:00.000Z',
    id: 'a',
    tools: [{ name: 'send', bytes: 100 }],
  };
  const stdin = [list, { ...list, id: 'b', tools: [{ name: 'send' }] }].map((line) => JSON.stringify(line));
  const { lists, counts } = await readAll(['-'], {
    stdin: stdin.join('\n'),
    period: { since: Date.parse('2026-12-01') },
  });
  expect(lists).toEqual([list]);
  expect(counts).toMatchObject({ lists: 1, invalid: 1 });
});

describe('lines', () => {
  const text = 'one\r\n\nzwei äöü €\n  \nlast without an end';

  test('are the same wherever the bytes are cut', () => {
    const bytes = Buffer.from(text);
    for (let cut = 0; cut <= bytes.length; cut++) {
      const splitter = new LineSplitter(100);
      const lines = [
        ...splitter.push(bytes.subarray(0, cut)),
        ...splitter.push(bytes.subarray(cut)),
        ...splitter.end(),
      ];
      expect(lines).toEqual(['one', 'zwei äöü €', 'last without an end']);
    }
  });

  test('that are too long are left out and counted, and never held', () => {
    const splitter = new LineSplitter(10);
    const lines = splitter.push(Buffer.from('short\n'));
    for (let index = 0; index < 100; index++) {
      lines.push(...splitter.push(Buffer.from('x'.repeat(9))));
      expect(splitter.heldBytes).toBeLessThanOrEqual(18);
    }
    lines.push(...splitter.push(Buffer.from('\nafter\n')), ...splitter.end());
    expect(lines).toEqual(['short', 'after']);
    expect(splitter.tooLong).toBe(1);
  });

  test('of exactly the limit are kept', () => {
    const splitter = new LineSplitter(5);
    expect(splitter.push(Buffer.from('12345\n'))).toEqual(['12345']);
  });
});

describe('a line', () => {
  const good = JSON.stringify(RECORDS[0]);

  test('of a record is a record', () => {
    expect(parseRecord(good)).toEqual({ ok: true, record: RECORDS[0] });
  });

  test('with more fields than are known is a record', () => {
    expect(parseRecord(good.replace('{', '{"new":1,')).ok).toBe(true);
  });

  test.each([
    ['planReason', (record: StoredRecord) => ({ ...record, planReason: 'of_tomorrow' })],
    ['armReason', (record: StoredRecord) => ({ ...record, armReason: 'of_tomorrow' })],
    ['restoredBecause', (record: StoredRecord) => ({ ...record, restoredBecause: 'of_tomorrow' })],
    ['outcome of a search', (record: StoredRecord) => ({ ...record, searches: [SEARCH_OF_TOMORROW] })],
  ])('with a %s that is not known is a record', (_, change) => {
    const record = change(RECORDS[0]!);
    expect(parseRecord(JSON.stringify(record))).toEqual({ ok: true, record });
  });

  test.each([
    ['not_json', good.slice(0, 200)],
    ['not_json', 'listening on 8787'],
    ['not_json', '42'],
    ['not_json', 'null'],
    ['other_line', '{"event":"defect","message":"x"}'],
    ['other_line', '[1]'],
    ['other_version', good.replace('"version":1', '"version":2')],
    ['invalid', good.replace('"arm":', '"arms":')],
    ['invalid', good.replace(/"addedMs":[\d.]+/, '"addedMs":-1')],
  ])('is %s: %.40s', (reason, line) => {
    expect(parseRecord(line)).toEqual({ ok: false, reason });
  });
});

describe('files', () => {
  test('are read one after the other, compressed ones too whatever their name', async () => {
    const plain = file('a.jsonl', LINES);
    const packed = file('b.jsonl', gzipSync(LINES));
    const { records, counts, bytes } = await readAll([plain, packed]);
    expect(records).toEqual([...RECORDS, ...RECORDS]);
    expect(counts).toMatchObject({ lines: 80, records: 80 });
    expect(bytes).toBe(Buffer.byteLength(LINES) + gzipSync(LINES).length);
  });

  test('that are named twice are read once', async () => {
    const plain = file('c.jsonl', LINES);
    symlinkSync(plain, join(folder, 'link.jsonl'));
    const { counts } = await readAll([plain, plain, join(folder, 'link.jsonl')]);
    expect(counts.records).toBe(40);
  });

  test('may be standard input', async () => {
    const { records } = await readAll(['-'], { stdin: LINES });
    expect(records).toEqual(RECORDS);
  });

  test('may hold anything, which is counted and told', async () => {
    const mixed = [
      'a line of text',
      '{"event":"started"}',
      JSON.stringify(RECORDS[0]),
      JSON.stringify({ ...RECORDS[1], version: 9 }),
      JSON.stringify({ ...RECORDS[1], arm: 'sideways' }),
      `{"x":"${'y'.repeat(3 * 1024 * 1024)}"}`,
      Buffer.from([0xff, 0xfe, 0x00]).toString('latin1'),
      JSON.stringify(RECORDS[2]),
      JSON.stringify(RECORDS[3]).slice(0, 100),
    ].join('\n');
    const { records, counts, broken } = await readAll([file('mixed.log', mixed)]);
    expect(records).toEqual([RECORDS[0], RECORDS[2]]);
    expect(counts).toEqual({
      lines: 9,
      records: 2,
      lists: 0,
      outside_period: 0,
      not_json: 3,
      other_line: 1,
      other_version: 1,
      invalid: 1,
      too_long: 1,
    });
    expect(broken).toEqual([]);
  });

  test('that break off count as far as they go, and the next one is read', async () => {
    const packed = gzipSync(LINES);
    const cut = file('cut.gz', packed.subarray(0, packed.length / 2));
    const whole = file('whole.jsonl', LINES);
    const { counts, broken } = await readAll([cut, whole]);
    expect(broken.map(({ source }) => source)).toEqual([cut]);
    expect(counts.records).toBeGreaterThan(45);
    expect(counts.records).toBeLessThan(80);
  });

  test('that are empty hold nothing', async () => {
    expect((await readAll([file('empty', '')])).counts.lines).toBe(0);
  });

  test('that are not there are named before any is read', async () => {
    await expect(readAll([join(folder, 'none.jsonl')])).rejects.toThrow(/none\.jsonl: no such file/);
    await expect(readAll([folder])).rejects.toThrow(SourceError);
  });

  test('give the records of a period, its beginning included and its end not', async () => {
    const path = file('period.jsonl', LINES);
    const period = { since: Date.parse(RECORDS[10]!.time), until: Date.parse(RECORDS[20]!.time) };
    const { records, counts } = await readAll([path], { period });
    expect(records).toEqual(RECORDS.slice(10, 20));
    expect(counts.outside_period).toBe(30);
  });
});
