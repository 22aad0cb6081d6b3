import { MetricsRegistry } from '@winnow/service';
import { expect, it } from 'vitest';
import { createMeaningMetrics, type MeaningMeters } from '../src/open-meanings.ts';

async function linesOf(meanings: MeaningMeters | undefined): Promise<readonly string[]> {
  const registry = new MetricsRegistry('winnow_test', '1');
  createMeaningMetrics(registry, () => meanings).countEmbedderFailure('slow');
  return (await registry.collect()).text.split('\n');
}

it('shows the vectors held, and counts failures by their reason', async () => {
  const lines = await linesOf({ size: 3, bytes: 4_096, isFailing: true });
  expect(lines).toEqual(
    expect.arrayContaining([
      'winnow_test_vectors 3',
      'winnow_test_vector_bytes 4096',
      'winnow_test_embedder_failing 1',
      'winnow_test_embedder_failures_total{reason="slow"} 1',
      'winnow_test_embedder_failures_total{reason="unreachable"} 0',
    ]),
  );
});

it('shows zeros without an embedder', async () => {
  expect(await linesOf(undefined)).toEqual(
    expect.arrayContaining([
      'winnow_test_vectors 0',
      'winnow_test_vector_bytes 0',
      'winnow_test_embedder_failing 0',
    ]),
  );
});
