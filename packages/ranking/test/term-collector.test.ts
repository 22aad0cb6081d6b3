import { expect, test } from 'vitest';
import { ENTRY_BITS, ENTRY_SHIFT } from '../src/bm25/flat-index.ts';
import { BM25_DEFAULTS } from '../src/bm25/parameters.ts';
import { TermCollector } from '../src/bm25/term-collector.ts';
import { TermTable } from '../src/bm25/term-table.ts';

test('a generic ending of a name says nothing there, and does in the first sentence', () => {
  const terms = new TermTable([]);
  const collector = new TermCollector(terms, BM25_DEFAULTS.fieldWeights);
  collector.add({ name: 'job_tool', description: 'Tool for jobs.', parameters: [] });
  const bits = new Map(
    Array.from(collector.finish().entries, (entry) => [
      terms.text(entry >>> ENTRY_SHIFT),
      entry & (ENTRY_BITS.namePart | ENTRY_BITS.lead),
    ]),
  );
  expect(bits.get('job')).toBe(ENTRY_BITS.namePart | ENTRY_BITS.lead);
  expect(bits.get('tool')).toBe(ENTRY_BITS.lead);
});
