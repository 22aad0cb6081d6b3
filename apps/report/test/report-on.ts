import type { PriceTable, StoredRecord, ToolListRecord } from '@winnow/core';
import { makeReport, type Report } from '../src/report.ts';
import { SectionsTally } from '../src/sections.ts';

/** The report on some records, as if they were all the lines of one file. */
export function reportOn(
  records: readonly StoredRecord[],
  prices?: PriceTable,
  lists: readonly ToolListRecord[] = [],
): Report {
  const sections = new SectionsTally(prices);
  for (const list of lists) sections.addList(list);
  for (const record of records) sections.add(record);
  const counts = {
    lines: records.length + lists.length,
    records: records.length,
    lists: lists.length,
    outside_period: 0,
    not_json: 0,
    other_line: 0,
    other_version: 0,
    invalid: 0,
    too_long: 0,
  };
  return makeReport(sections.result(), ['records.jsonl'], { counts, broken: [] });
}
