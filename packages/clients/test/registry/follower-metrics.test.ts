import { MetricsRegistry } from '@winnow/service';
import { expect, it } from 'vitest';
import { createFollowerMetrics } from '../../src/registry/follow-registry.ts';
import type { RegistryStatus } from '../../src/registry/registry-follower.ts';

async function linesOf(status: RegistryStatus | undefined): Promise<readonly string[]> {
  const registry = new MetricsRegistry('test', '1');
  createFollowerMetrics(registry, () => status);
  return (await registry.collect()).text.split('\n');
}

it('shows the tools of the registry and for how many seconds it has been away', async () => {
  const lines = await linesOf({ tools: 7, awayMs: 1_500 } as RegistryStatus);
  expect(lines).toEqual(
    expect.arrayContaining([
      'winnow_followed_tools{service="test"} 7',
      'winnow_registry_away_seconds{service="test"} 1.5',
    ]),
  );
});

it('shows zeros without a registry', async () => {
  expect(await linesOf(undefined)).toEqual(
    expect.arrayContaining([
      'winnow_followed_tools{service="test"} 0',
      'winnow_registry_away_seconds{service="test"} 0',
    ]),
  );
});
