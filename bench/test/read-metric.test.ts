import { expect, test } from 'vitest';
import { sumOfMetric } from '../src/read-metric.ts';

const TEXT = `# HELP searches_total Searches.
searches_total{by="model",outcome="found"} 3
searches_total{by="shadow",outcome="found"} 4
searches_total{by="model",outcome="api_error"} 5
searches_total{asked_by="model",by="shadow",outcome="no_match"} 6
searches_total_of_all 100
open 2
`;

test('adds up all series with the labels, whatever other labels they have', () => {
  expect(sumOfMetric(TEXT, 'searches_total', { outcome: 'found' })).toBe(7);
  expect(sumOfMetric(TEXT, 'searches_total', { by: 'model' })).toBe(8);
  expect(sumOfMetric(TEXT, 'searches_total')).toBe(18);
  expect(sumOfMetric(TEXT, 'open')).toBe(2);
});

test('returns 0 before the first count', () => {
  expect(sumOfMetric(TEXT, 'searches_total', { outcome: 'api_timeout' })).toBe(0);
  expect(sumOfMetric(TEXT, 'searches')).toBe(0);
});
