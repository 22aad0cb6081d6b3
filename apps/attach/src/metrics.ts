import { ATTACH_ERRORS } from '@winnow/contract';
import { REGISTRY_FAILURES, type RegistryFailureReason, type RegistryStatus } from '@winnow/registry-client';
import { type CollectedMetrics, createExchangeMetrics, MetricsRegistry } from '@winnow/service';
import type { Attached } from './attach-service.ts';
import type { LettaRouteName } from './letta/letta-client.ts';
import { OUTCOMES, outcomeOf } from './outcome-of.ts';
import { PROTECTIONS } from './plan/protection.ts';
import { VERSION } from './version.ts';

/** What is read when metrics are collected. */
export interface MeteredState {
  /** Tools that can be found. */
  readonly tools: () => number;
  /** Milliseconds since they were read; undefined before. */
  readonly catalogueAgeMs: () => number | undefined;
  /** How it stands with the registry; undefined when none is followed. */
  readonly registryStatus: () => RegistryStatus | undefined;
  readonly waiting: () => number;
  /** Bytes of bodies. */
  readonly heldBytes: () => number;
  /** Log lines that could not be written so far. */
  readonly lostLines: () => number;
}

/** The service's measures. Every name is explained in `docs/reference/attach.md`. */
export interface Metrics {
  countRequest(route: string, status: number, durationMs: number): void;
  /** Why a request got an error. */
  countRefusal(code: string): void;
  countAttachment(attached: Attached): void;
  /** A call of Letta's; the status is 0 when there was no answer. */
  countLettaCall(route: LettaRouteName, status: number): void;
  /** A response that was stored was given again. */
  countReplay(): void;
  /** All tools were read, or could not be. */
  countReading(isRead: boolean): void;
  /** Following the registry has failed, or ended. */
  countRegistryFailure(reason: RegistryFailureReason): void;
  /** The Prometheus text format, and its content type. */
  collect(): Promise<CollectedMetrics>;
}

/** From a search in memory to the longest request, in seconds. */
const SECONDS_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const TOOLS_BUCKETS = [1, 5, 10, 15, 20, 25, 30, 40, 60, 100];

/** Metrics in a registry of their own, so that several services can live in one process. */
export function createMetrics(state: MeteredState): Metrics {
  const registry = new MetricsRegistry('winnow_attach', VERSION);
  registry.watchProcess();
  registry.gauge('winnow_attach_catalogue_tools', 'Tools that can be found.', state.tools);
  registry.gauge(
    'winnow_attach_catalogue_age_seconds',
    'Time since all tools of Letta were read; -1 before.',
    () => (state.catalogueAgeMs() ?? -1_000) / 1_000,
  );
  registry.gauge(
    'winnow_attach_registry_tools',
    'Tools of the registry that is followed.',
    () => state.registryStatus()?.tools ?? 0,
  );
  registry.gauge(
    'winnow_attach_registry_away_seconds',
    'For how long the registry could not be followed; 0 while it is.',
    () => (state.registryStatus()?.awayMs ?? 0) / 1_000,
  );

  const exchanges = createExchangeMetrics(registry, 'winnow_attach', {
    codes: Object.keys(ATTACH_ERRORS),
    secondsBuckets: SECONDS_BUCKETS,
    ...state,
  });
  const outcomes = registry.counter(
    'winnow_attach_outcomes_total',
    'Requests that attach or prune, by what became of the agent.',
    ['outcome'],
  );
  for (const outcome of OUTCOMES) outcomes.inc({ outcome }, 0);
  const phaseSeconds = registry.histogram(
    'winnow_attach_phase_seconds',
    'Time that a request spent in each phase: reading, searching, changing.',
    SECONDS_BUCKETS,
    ['phase'],
  );
  const tools = registry.counter('winnow_attach_tools_total', 'Tools, by what was done with them.', [
    'action',
  ]);
  for (const action of ['attached', 'detached', 'pruned', 'kept', 'failed']) tools.inc({ action }, 0);
  const calls = registry.counter(
    'winnow_attach_letta_calls_total',
    'Calls of Letta by route and status; 0 without an answer.',
    ['route', 'status'],
  );
  const exceeded = registry.counter(
    'winnow_attach_limits_exceeded_total',
    'Requests after which an agent had more tools than a limit allows.',
    ['limit'],
  );
  for (const limit of ['total', 'mcp']) exceeded.inc({ limit }, 0);
  const protectedHits = registry.counter(
    'winnow_attach_protected_hits_total',
    'Tools that did not match and stayed because of a protection, by its kind.',
    ['kind'],
  );
  for (const kind of PROTECTIONS) protectedHits.inc({ kind }, 0);
  const agentTools = registry.histogram(
    'winnow_attach_agent_tools',
    'Tools of an agent, before and after a request.',
    TOOLS_BUCKETS,
    ['when'],
  );
  const replays = registry.counter(
    'winnow_attach_idempotent_replays_total',
    'Requests that were answered with a response that was stored.',
  );
  const readings = registry.counter(
    'winnow_attach_catalogue_reads_total',
    'Times that all tools of Letta were read, by whether that went well.',
    ['result'],
  );
  for (const result of ['read', 'failed']) readings.inc({ result }, 0);
  const failures = registry.counter(
    'winnow_attach_registry_failures_total',
    'Times that following the registry failed or ended, by the reason.',
    ['reason'],
  );
  for (const reason of REGISTRY_FAILURES) failures.inc({ reason }, 0);

  return {
    ...exchanges,
    countAttachment(attached) {
      const { details } = attached.response;
      const { planned, durationsMs } = attached.report;
      outcomes.inc({ outcome: outcomeOf(attached) });
      for (const [phase, ms] of Object.entries(durationsMs)) phaseSeconds.observe({ phase }, ms / 1_000);
      if (details.dry_run) return;
      const pruned = details.pruned_before.length + details.pruned_after.length;
      tools.inc({ action: 'attached' }, details.success_count);
      tools.inc({ action: 'failed' }, details.failure_count);
      tools.inc({ action: 'pruned' }, pruned);
      tools.inc({ action: 'detached' }, details.detached_tools.length - pruned);
      tools.inc({ action: 'kept' }, planned?.plan.kept.length ?? 0);
      for (const { protection } of planned?.plan.kept ?? []) protectedHits.inc({ kind: protection });
      for (const { code, message } of details.warnings)
        if (code === 'limits_not_met') exceeded.inc({ limit: message.includes('MAX_MCP') ? 'mcp' : 'total' });
      agentTools.observe({ when: 'before' }, details.limits.before);
      agentTools.observe({ when: 'after' }, details.limits.after);
    },
    countLettaCall: (route, status) => calls.inc({ route, status }),
    countReplay: () => replays.inc({}),
    countReading: (isRead) => readings.inc({ result: isRead ? 'read' : 'failed' }),
    countRegistryFailure: (reason) => failures.inc({ reason }),
    collect: () => registry.collect(),
  };
}
