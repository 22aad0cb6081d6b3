import { printable } from '@winnow/core';
import type { LineCounts } from '../reading/read-records.ts';
import type { Report } from '../report.ts';
import { formatCount } from '../text/format.ts';
import type { Part } from './part.ts';

const WORDS: readonly { readonly key: keyof LineCounts; readonly label: string }[] = [
  { key: 'records', label: 'Records that are counted' },
  { key: 'lists', label: 'Lists of tools' },
  { key: 'outside_period', label: 'Records outside the period' },
  { key: 'other_line', label: 'Other events of a log' },
  { key: 'not_json', label: 'Text, or lines cut in two' },
  { key: 'other_version', label: 'Records of another version' },
  { key: 'invalid', label: 'Records with missing or wrong fields' },
  { key: 'too_long', label: 'Lines of more than 1 MiB' },
];

/** Returns the lines read, and those that could not be used. */
export function readingPart({ reading, sources }: Report): Part {
  const { counts, broken } = reading;
  return {
    id: 'reading',
    title: 'What was read',
    sentences: [
      `${formatCount(counts.lines)} lines of ${sources.length === 1 ? printable(sources[0]!) : `${sources.length} sources`}.`,
      ...broken.map(
        ({ source, message }) =>
          `${printable(source)} ended early: ${printable(message)}. The data before that is counted.`,
      ),
    ],
    tables: [
      {
        title: 'Lines',
        columns: ['What', 'Lines'],
        rows: WORDS.filter(({ key }) => key === 'records' || counts[key] > 0).map(({ key, label }) => [
          label,
          formatCount(counts[key]),
        ]),
      },
    ],
  };
}
