import { createFollowerMetrics, type RegistryStatus } from '@winnow/clients';
import { ATTACH_ERRORS } from '@winnow/core';
import { createExchangeMetrics, MetricsRegistry } from '@winnow/service';
import type { Attached } from './attach-service.ts';
import type { LettaRouteName } from './letta/letta-client.ts';
import { OUTCOMES, outcomeOf } from './tell-attachment.ts';
import { VERSION } from './version.ts';

/** The state that is read when metrics are collected. */
export interface MeteredState {
  /** Milliseconds since they were read; undefined before. */
  readonly catalogueAgeMs: () => number | undefined;
  /** State of the followed registry; undefined without one. */
  readonly registryStatus: () => RegistryStatus | undefined;
  readonly waiting: () => number;
  /** Bytes of bodies. */
  readonly heldBytes: () => number;
}

/** From a search in memory to the longest request, in seconds. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Counters, and histograms with their buckets. */
const MEASURES = {
  outcomes_total: {
    help: 'Requests that attach or prune, by outcome.',
    labels: ['outcome'],
    known: OUTCOMES,
  },
  phase_seconds: {
    help: 'Time that a request spent in each phase: reading, searching, changing.',
    labels: ['phase'],
    buckets: SECONDS,
  },
  tools_total: {
    help: 'Tools, by action.',
    labels: ['action'],
    known: ['attached', 'detached', 'pruned', 'kept', 'failed'],
  },
  letta_calls_total: {
    help: 'Calls to Letta, by route and status; 0 without a response.',
    labels: ['route', 'status'],
  },
} as const;

/** The service's measures. Every name is explained in `docs/operations/metrics.md`. */
export type Metrics = ReturnType<typeof createMetrics>;

/** Metrics in a separate registry, so that several services can run in one process. */
export function createMetrics(state: MeteredState) {
  const registry = new MetricsRegistry('attach', VERSION);
  registry.watchProcess();
  registry.watch({
    catalogue_age_seconds: [
      "Time since all of Letta's tools were last read; -1 before the first time.",
      () => (state.catalogueAgeMs() ?? -1_000) / 1_000,
    ],
  });
  createFollowerMetrics(registry, state.registryStatus);
  const measures = registry.add(MEASURES);
  return {
    ...createExchangeMetrics(registry, {
      codes: Object.keys(ATTACH_ERRORS),
      secondsBuckets: SECONDS,
      ...state,
    }),
    countAttachment(attached: Attached) {
      const { details } = attached.response;
      const { planned, durationsMs } = attached.report;
      measures.outcomes_total.inc({ outcome: outcomeOf(attached) });
      for (const [phase, ms] of Object.entries(durationsMs))
        measures.phase_seconds.observe({ phase }, ms / 1_000);
      if (details.dry_run) return;
      const { tools_total: tools } = measures;
      const pruned = details.pruned_before.length + details.pruned_after.length;
      tools.inc({ action: 'attached' }, details.success_count);
      tools.inc({ action: 'failed' }, details.failure_count);
      tools.inc({ action: 'pruned' }, pruned);
      tools.inc({ action: 'detached' }, details.detached_tools.length - pruned);
      tools.inc({ action: 'kept' }, planned?.plan.kept.length ?? 0);
    },
    /** Counts a call of Letta's; the status is 0 without a response. */
    countLettaCall: (route: LettaRouteName, status: number) =>
      measures.letta_calls_total.inc({ route, status }),
    /** The Prometheus text format, and its content type. */
    collect: () => registry.collect(),
  };
}
