import { MetricsRegistry } from '@winnow/service';
import { expect, it } from 'vitest';
import { createMeaningMetrics } from '../src/open-meanings.ts';

it.each([
  [{ isFailing: true }, 1],
  [{ isFailing: false }, 0],
  [undefined, 0],
])('shows whether the embedder fails: %j', async (meanings, value) => {
  const registry = new MetricsRegistry('test', '1');
  createMeaningMetrics(registry, () => meanings);
  expect((await registry.collect()).text.split('\n')).toContain(
    `winnow_embedder_failing{service="test"} ${value}`,
  );
});
