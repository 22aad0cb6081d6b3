import type { Observation, RolloutReason, SearchRecord, StoredRecord } from '@winnow/core';

/** The shape of made-up traffic. */
export interface RecordPlan {
  readonly seed: number;
  readonly exchanges: number;
  /** The reasons for an arm, each as likely as the others. */
  readonly reasons: readonly RolloutReason[];
  /** The share of searches that fail. */
  readonly failureShare?: number;
  /** The share of called tools that the selector did not pick. */
  readonly missShare?: number;
  /** ISO 8601; exchanges follow each other by `stepMs` on average. */
  readonly start?: string;
  readonly stepMs?: number;
  readonly sessions?: number;
}

const ARM_OF = {
  switched_off: 'off',
  rollout_off: 'off',
  rollout_dark: 'dark',
  rollout_shadow: 'shadow',
  rollout_full: 'full',
  inside_percent: 'full',
  outside_percent: 'shadow',
  no_session: 'shadow',
  overridden: 'full',
} as const;

/** Names of tools, the first ones called most often. */
export const TOOL_NAMES = Array.from(
  { length: 40 },
  (_, index) => `${['files', 'mail', 'crm', 'build'][index % 4]}_tool_${index}`,
);
const MODELS = ['gpt-5.2', 'gpt-5.2-mini', 'claude-sonnet-4-5', 'claude-haiku-4-5'];

/** Made-up records, the same for the same plan: what a proxy might have written. */
export function makeRecords(plan: RecordPlan): StoredRecord[] {
  const random = randomFrom(plan.seed);
  const start = Date.parse(plan.start ?? '2026-11-20T08:00:00.000Z');
  let time = start;
  return Array.from({ length: plan.exchanges }, (_, index) => {
    time += Math.ceil(random() * 2 * (plan.stepMs ?? 30_000));
    return makeRecord(plan, random, index, new Date(time).toISOString());
  });
}

function makeRecord(plan: RecordPlan, random: () => number, index: number, time: string): StoredRecord {
  const session = Math.floor(random() * (plan.sessions ?? 200));
  // A session keeps its reason, as it keeps its arm.
  const armReason = plan.reasons[session % plan.reasons.length]!;
  const arm = ARM_OF[armReason];
  const isLooked = arm !== 'off';
  const total = isLooked ? Math.floor(5 + random() ** 3 * 300) : 0;
  const deferred = total >= 12 ? Math.floor(total * (0.7 + random() * 0.25)) : 0;
  const searches = arm === 'full' && deferred > 0 && random() < 0.6 ? makeSearches(plan, random) : [];
  const loaded = Math.min(deferred, new Set(searches.flatMap(({ names }) => names)).size);
  const before = total * 420;
  const after = (total - deferred + loaded) * 420 * (searches.length + 1) + (deferred > 0 ? 600 : 0);
  const planMs = 0.2 + random() ** 4 * 6;
  const searchMs = searches.reduce((sum, { ms }) => sum + ms, 0);
  const hiddenRoundsMs = searches.length * (300 + random() * 900);
  const addedMs = isLooked ? planMs + searchMs : 0;
  const format = index % 3 === 0 ? 'anthropic-messages' : 'openai-chat';
  const outcome = random() < 0.001 ? 'failed' : random() < 0.01 ? 'client_gone' : 'answered';
  return {
    version: 1,
    event: 'exchange',
    time,
    requestId: `request-${index}`,
    ...(session % 17 !== 0 && { session: session.toString(16).padStart(12, '0') }),
    upstream: index % 3 === 0 ? 'anthropic' : 'openai',
    format,
    model: MODELS[Math.floor(random() * MODELS.length)]!,
    strategy: 'api',
    arm,
    armReason,
    planReason: isLooked ? (deferred > 0 ? 'deferred' : 'few_tools') : 'not_read',
    loadMode: index % 3 === 0 ? 'native' : 'swap',
    tools: { total, deferred, loaded },
    searches,
    ...(searches.length > 0 && { called: [searches.at(-1)!.names[0] ?? TOOL_NAMES[0]!] }),
    ...((arm === 'shadow' || arm === 'dark') && makeObservation(plan, random, arm, deferred > 0)),
    ...(arm === 'full' &&
      deferred > 0 &&
      random() < 0.004 && { restoredBecause: 'upstream_rejected_edit' as const }),
    upstreamCalls: 1 + searches.length,
    hiddenTurnsKnown: 0,
    sessionErrors: arm === 'full' && random() < 0.003 ? 1 : 0,
    toolBytes: {
      before,
      after,
    },
    hiddenRoundsMs,
    addedMs,
    totalMs: 400 + random() * 4000 + addedMs + hiddenRoundsMs,
    ...(random() < 0.9 && {
      usage: [{ inputTokens: Math.round(800 + after / 4), outputTokens: Math.round(random() * 600) }],
    }),
    ...(outcome !== 'client_gone' && { status: random() < 0.002 ? 429 : 200 }),
    outcome,
  };
}

function makeSearches(plan: RecordPlan, random: () => number): SearchRecord[] {
  return Array.from({ length: random() < 0.2 ? 2 : 1 }, () => makeSearch(plan, random));
}

function makeSearch({ failureShare = 0.004 }: RecordPlan, random: () => number): SearchRecord {
  const luck = random();
  const outcome =
    luck < failureShare ? (random() < 0.5 ? 'api_timeout' : 'api_error') : luck < 0.05 ? 'no_match' : 'found';
  return {
    outcome,
    names: outcome === 'found' ? pick(random, 5) : [],
    ms: outcome === 'api_timeout' ? 2000 : 3 + random() ** 3 * 60,
  };
}

function makeObservation(
  plan: RecordPlan,
  random: () => number,
  arm: 'dark' | 'shadow',
  isApplicable: boolean,
): { readonly observation: Observation; readonly searches: SearchRecord[] } {
  if (!isApplicable) return { observation: { status: 'not_applicable' }, searches: [] };
  if (random() < 0.01) return { observation: { status: 'dropped' }, searches: [] };
  const search = makeSearch(plan, random);
  const searches = [search];
  if (arm === 'dark') return { observation: { status: 'done' }, searches };
  const called = random() < 0.55 ? pick(random, random() < 0.25 ? 2 : 1) : [];
  const isFailed = search.outcome !== 'found' && search.outcome !== 'no_match';
  const wouldHaveMissed = isFailed ? [] : called.filter(() => random() < (plan.missShare ?? 0.04));
  return { observation: { status: 'done', called, wouldHaveMissed }, searches };
}

/** Different names, the first of the list more likely than the last. */
function pick(random: () => number, count: number): string[] {
  const picked = new Set<string>();
  while (picked.size < count) picked.add(TOOL_NAMES[Math.floor(random() ** 2 * TOOL_NAMES.length)]!);
  return [...picked];
}

/** Mulberry32: numbers from 0 to 1, the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
