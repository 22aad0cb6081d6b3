import type { MetricsRegistry } from '@winnow/service';
import { REGISTRY_FAILURES, type RegistryFailureReason } from './registry-failure.ts';
import type { RegistryStatus } from './registry-follower.ts';

/** Adds the measures that every follower has of its registry. All are 0 while `read` gives undefined, as it does without a registry. */
export function createFollowerMetrics(registry: MetricsRegistry, read: () => RegistryStatus | undefined) {
  registry.watch({
    registry_tools: ['Tools of the registry that is followed.', () => read()?.tools ?? 0],
    registry_away_seconds: [
      'For how long the registry could not be followed; 0 while it is.',
      () => (read()?.awayMs ?? 0) / 1_000,
    ],
  });
  const { registry_failures_total: failures } = registry.add({
    registry_failures_total: {
      help: 'Times that following the registry failed or ended, by the reason.',
      labels: ['reason'],
      known: REGISTRY_FAILURES,
    },
  });
  return {
    /** Counts that following the registry has failed, or ended. */
    countRegistryFailure: (reason: RegistryFailureReason) => failures.inc({ reason }),
  };
}
