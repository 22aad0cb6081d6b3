import { readFileSync } from 'node:fs';
import { ExchangeRecord } from '@winnow/core';
import { describe, expect, it } from 'vitest';
import { recordLine } from '../src/records/record-sink.ts';

const SECTION = /^## The record of an exchange\n[\s\S]*?(?=^## )/m.exec(
  readFileSync(new URL('../../../docs/reference/records.md', import.meta.url), 'utf8'),
)![0];

/** The record in `docs/reference/records.md`, without its comments. */
function shownRecord(): ExchangeRecord {
  const [, example = ''] = /```jsonc\n([\s\S]*?)```/.exec(SECTION) ?? [];
  return ExchangeRecord.strict().parse(JSON.parse(example.replaceAll(/ \/\/ .*$/gm, '')));
}

describe('the record in the guide', () => {
  it('is valid', () => {
    expect(shownRecord().tools).toEqual({ total: 117, deferred: 116, loaded: 5 });
  });

  it('has every field, unless the text names it', () => {
    const shown = Object.keys(shownRecord());
    for (const field of Object.keys(ExchangeRecord.shape)) {
      if (!shown.includes(field)) expect(SECTION).toContain(`\`${field}\``);
    }
  });

  it.each(ExchangeRecord.shape.armReason.options)('names the reason %s', (reason) => {
    expect(SECTION).toContain(reason);
  });
});

describe('a record as a line', () => {
  it('is the record with a line feed', () => {
    const record = shownRecord();
    expect(recordLine(record)).toBe(`${JSON.stringify({ ...record, searches: record.searches })}\n`);
  });

  it('has times in whole microseconds', () => {
    const [search] = shownRecord().searches;
    const record = ExchangeRecord.parse(
      JSON.parse(
        recordLine({
          ...shownRecord(),
          addedMs: 1.000_499,
          totalMs: 2.999_9,
          searches: [{ ...search!, ms: 0.123_456 }],
        }),
      ),
    );
    expect(record).toMatchObject({ addedMs: 1, totalMs: 3, searches: [{ ms: 0.123 }] });
  });

  it('has a limited length, whatever clients call their tools and models', () => {
    const [search] = shownRecord().searches;
    const name = 'n'.repeat(1_000_000);
    const line = recordLine({
      ...shownRecord(),
      model: name,
      searches: [{ ...search!, names: [name, name] }],
    });
    expect(JSON.parse(line)).toMatchObject({ model: 'n'.repeat(1_000) });
    expect(line.length).toBeLessThan(5_000);
  });
});
