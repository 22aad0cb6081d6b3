import { createHash } from 'node:crypto';
import { createFollowerMetrics, type RegistryStatus } from '@winnow/clients';
import { ATTACH_ERRORS } from '@winnow/core';
import { createExchangeMetrics, type LogFields, MetricsRegistry, type SpanAttributes } from '@winnow/service';
import type { Attached } from './attach-service.ts';
import type { LettaRouteName } from './letta/letta-client.ts';
import { VERSION } from './version.ts';

/** The outcomes of a request, in one word each. */
const OUTCOMES = ['changed', 'unchanged', 'partial', 'failed', 'rolled_back', 'dry_run'] as const;

function outcomeOf({ response, report }: Attached): (typeof OUTCOMES)[number] {
  const { details, success } = response;
  if (details.dry_run) return 'dry_run';
  if (report.outcome?.isRolledBack) return 'rolled_back';
  if (!success) return 'failed';
  if (details.failure_count > 0 || details.failed_detachments.length > 0) return 'partial';
  return details.success_count + details.detached_tools.length > 0 ? 'changed' : 'unchanged';
}

/** The state that is read when metrics are collected. */
interface MeteredState {
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

/** Counts the outcome of a request, and returns the fields of its log line. */
export type AttachLog = (attached: Attached, query: string) => LogFields;

/** Logs counts, and only hashes of the agent and the query. */
export function createAttachLog(metrics: Metrics): AttachLog {
  return (attached, query) => {
    const { success, details } = attached.response;
    const { planned, scores, durationsMs } = attached.report;
    metrics.countAttachment(attached);
    return {
      agent: shortHash(details.target_agent),
      outcome: outcomeOf(attached),
      success,
      dryRun: details.dry_run,
      queryChars: query.length,
      queryHash: shortHash(query),
      processed: details.processed_count,
      passed: details.passed_filter_count,
      attached: details.success_count,
      failed: details.failure_count,
      detached: details.detached_tools.length,
      failedDetachments: details.failed_detachments.length,
      before: details.limits.before,
      after: details.limits.after,
      ...(scores.length > 0 && { bestScore: scores[0]!, leastScore: Math.min(...scores) }),
      ...(details.warnings.length > 0 && {
        warnings: [...new Set(details.warnings.map(({ code }) => code))],
      }),
      ...(planned && { kept: planned.plan.kept.length }),
      readMs: Math.round(durationsMs.read),
      searchMs: Math.round(durationsMs.search),
      changeMs: Math.round(durationsMs.change),
    };
  };
}

/** Returns the span attributes of a request: counts, no ids. */
export function spanAttributesOf(attached: Attached): SpanAttributes {
  const { details } = attached.response;
  return {
    'winnow.attach.outcome': outcomeOf(attached),
    'winnow.attach.attached': details.success_count,
    'winnow.attach.failed': details.failure_count,
    'winnow.attach.detached': details.detached_tools.length,
  };
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
