import type { MetricsRegistry } from '@winnow/service';
import { REGISTRY_FAILURES, type RegistryFailureReason } from './registry-failure.ts';
import type { RegistryStatus } from './registry-follower.ts';

/**
 * Adds the metrics that every follower has of its registry. All are 0 while `read` returns undefined, as it
 * does without a registry.
 */
export function createFollowerMetrics(registry: MetricsRegistry, read: () => RegistryStatus | undefined) {
  registry.watch({
    registry_tools: ['Tools of the followed registry.', () => read()?.tools ?? 0],
    registry_away_seconds: [
      'Seconds since the registry was last followed; 0 while it is followed.',
      () => (read()?.awayMs ?? 0) / 1_000,
    ],
  });
  const { registry_failures_total: failures } = registry.add({
    registry_failures_total: {
      help: 'Failures and ends of following the registry, by reason.',
      labels: ['reason'],
      known: REGISTRY_FAILURES,
    },
  });
  return {
    /** Counts a failure or an end of following the registry. */
    countRegistryFailure: (reason: RegistryFailureReason) => failures.inc({ reason }),
  };
}
