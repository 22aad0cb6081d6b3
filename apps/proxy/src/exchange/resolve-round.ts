import type { Plan, Turn } from '@winnow/wire';
import { type Resolution, resolveSearches } from '../phantom/resolve-searches.ts';
import { toSearchable } from '../search/searchable-tools.ts';
import { STRATEGIES } from '../strategies/index.ts';
import { withLoaded, withoutSearch } from './plan-exchange.ts';
import type { Prepared } from './prepare-exchange.ts';

/** Answers of the model that may be searches. The last one's searches are not answered any more: everything is shown instead. */
export const MAX_ROUNDS = 5;

/** What the searches of an exchange have come to so far. */
export interface Findings {
  /** Names that were found, in load order, each once. Those that were shown because a search failed are not among them. */
  readonly found: readonly string[];
  readonly hadNoMatch: boolean;
}

/** Nothing yet. */
export const NO_FINDINGS: Findings = { found: [], hadNoMatch: false };

/** Answers the searches of one turn; `round` is the number of the turn, from 1. Never rejects. */
export async function resolveRound(
  prepared: Prepared,
  turn: Turn,
  { hadNoMatch }: Findings,
  round: number,
): Promise<Resolution> {
  const { exchange, context, record, clock, view, deferred } = prepared;
  const { settings, searches, effects } = context;
  const startedAt = effects.now();
  const resolution = await resolveSearches(turn.searches, {
    search: searches[STRATEGIES[settings['pipes.tool_discovery.strategy']].search ?? 'local'],
    searchable: toSearchable(view, deferred),
    hadNoMatch,
    isLimit: round >= MAX_ROUNDS,
    withQueryText: settings['records.query_text'],
    requestId: record.requestId,
    span: exchange.span,
    now: effects.now,
    signal: exchange.signal,
  });
  record.searchMs += clock.waitedSince(startedAt);
  record.searches.push(...resolution.records);
  return resolution;
}

/** The findings with those of one more round. */
export function addFindings(findings: Findings, resolution: Resolution): Findings {
  return {
    found: [...new Set([...findings.found, ...resolution.found])],
    hadNoMatch: findings.hadNoMatch || resolution.isNoMatch,
  };
}

/** The plan for the request after `round`, with what that round's searches have made visible. */
export function planAfterRound(plan: Plan, resolution: Resolution, round: number): Plan {
  if (round < MAX_ROUNDS) return withLoaded(plan, resolution.isRestored ? plan.defer : resolution.found);
  // Natively, the result shows everything and the tools stay; only a model that searches once more loses the search tool.
  if (round === MAX_ROUNDS && plan.loadMode === 'native') return withLoaded(plan, plan.defer);
  return withoutSearch(plan);
}
