import { type ExchangeRecord, RECORD_VERSION, type ToolBytes, type ToolCounts } from '@winnow/contract';
import type { Format, Plan, RequestView } from '@winnow/wire';
import type { IncomingExchange } from '../app.ts';
import type { ProxyContext } from '../proxy-context.ts';
import type { RolloutDecision } from '../rollout.ts';

/** A record of an exchange that has just begun, to be filled in as it goes. */
export function startRecord(
  { target, format, head }: IncomingExchange & { readonly format: Format },
  { settings, effects }: ProxyContext,
  { arm, reason }: RolloutDecision,
): ExchangeRecord {
  return {
    version: RECORD_VERSION,
    event: 'exchange',
    time: new Date(effects.wallClock()).toISOString(),
    requestId: head.requestId,
    upstream: target.upstream.name,
    format: format.name,
    isStream: false,
    strategy: settings['pipes.tool_discovery.strategy'],
    arm,
    armReason: reason,
    planReason: 'not_read',
    loadMode: 'swap',
    tools: { total: 0, kept: 0, deferred: 0, loaded: 0 },
    searches: [],
    upstreamCalls: 0,
    hiddenTurnsKnown: 0,
    sessionErrors: 0,
    toolBytes: NO_TOOL_BYTES,
    planMs: 0,
    sessionMs: 0,
    searchMs: 0,
    hiddenRoundsMs: 0,
    addedMs: 0,
    totalMs: 0,
    outcome: 'failed',
  };
}

/** Before any request has been measured. */
export const NO_TOOL_BYTES: ToolBytes = {
  before: 0,
  after: 0,
  estimatedTokensBefore: 0,
  estimatedTokensAfter: 0,
};

/** How many tools a plan keeps, defers and shows. */
export function countTools(view: RequestView, plan: Plan): ToolCounts {
  const isDeferred = new Set(plan.defer);
  const deferred = view.tools.filter(({ name }) => name !== undefined && isDeferred.has(name)).length;
  const loaded = plan.load.filter((name) => isDeferred.has(name)).length;
  return { total: view.tools.length, kept: view.tools.length - deferred, deferred, loaded };
}

/** The JSON of a search tool around its name and description, roughly. */
const SEARCH_TOOL_BYTES = 200;

/** Bytes of a request's tools that the model reads without and with a plan. A deferred definition is not read until it is loaded. */
export function measureTools(view: RequestView, plan: Plan): { before: number; after: number } {
  const isHidden = new Set(plan.defer);
  for (const name of plan.load) isHidden.delete(name);
  let before = 0;
  let after = plan.searchTool ? SEARCH_TOOL_BYTES + plan.searchTool.description.length : 0;
  for (const { name, span } of view.tools) {
    const size = span.end - span.start;
    before += size;
    if (name === undefined || !isHidden.has(name)) after += size;
  }
  return { before, after };
}

/** What the tools have taken after one more request. */
export function addToolBytes(
  { after: earlier }: ToolBytes,
  { before, after }: { before: number; after: number },
): ToolBytes {
  return {
    before,
    after: earlier + after,
    estimatedTokensBefore: estimateTokens(before),
    estimatedTokensAfter: estimateTokens(earlier + after),
  };
}

/** Bytes of English and JSON that make a token, as tokenisers of today have it. */
const BYTES_PER_TOKEN = 4;

function estimateTokens(bytes: number): number {
  return Math.round(bytes / BYTES_PER_TOKEN);
}
