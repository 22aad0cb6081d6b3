import { longMarked, type PriceTable, termsOf, usualTerms } from '@winnow/core';
import { cloudOf, type Format, type Plan, type RequestView, rememberBy, setOf } from '@winnow/wire';
import type { Settings } from '../config/config.ts';
import type { AgentMeasurement } from '../strategies/agent-traffic.ts';
import { BYTES_PER_TOKEN } from '../strategies/saving-rules.ts';
import { searchToolBytes } from '../strategies/search-tool-bytes.ts';
import type { Upstream } from '../upstream/choose-upstream.ts';
import { shownTools } from './shown-tools.ts';

/** A request with its plan. */
interface PlannedRequest {
  readonly format: Pick<Format, 'vendor' | 'loading' | 'capabilities'>;
  readonly upstream: Upstream;
  readonly view: RequestView;
  readonly plan: Plan;
  /** The names of the tools that are preloaded in it. */
  readonly preloaded: readonly string[];
}

/** Context for measuring. */
interface MeasureContext {
  readonly prices: PriceTable;
  readonly settings: Settings;
}

/** Returns the sizes of an agent's prompts by a request that defers, and the terms of its provider. */
export function measurementOf(
  { format, upstream, view, plan, preloaded }: PlannedRequest,
  { prices, settings }: MeasureContext,
): AgentMeasurement {
  const { bytesBefore, bytesAfter, counts } = shownTools(view, { ...plan, load: NONE });
  const preloadedBytes = shownTools(view, plan).bytesAfter - bytesAfter;
  const system = view.systemTexts.reduce((sum, text) => sum + text.length, 0);
  const perTool = (bytesBefore - bytesAfter) / Math.max(1, counts.deferred);
  const found = Math.min(settings['tools.max_search_results'], USUALLY_ADDED) * Math.max(0, perTool);
  const isSwap = plan.loadMode === 'swap';
  const bridgeToolBytes = plan.loadMode === 'bridge' ? searchToolBytes(plan.bridgeTool) : 0;
  const known = termsOf(prices, view.model, isVendorsOwn(upstream) || !format.loading.isSpokenByAll);
  const model = known ?? usualTerms(prices, format.vendor.name);
  return {
    sizes: {
      directHead: (bytesBefore + system) / BYTES_PER_TOKEN,
      deferredHead: (bytesAfter + bridgeToolBytes + system) / BYTES_PER_TOKEN,
      preloaded: preloadedBytes / BYTES_PER_TOKEN,
      found: found / BYTES_PER_TOKEN,
      loadsAtEnd: !isSwap,
    },
    // Preloaded tools depend on the first message. Kept or swapped, they precede the system prompt.
    sharesHeads:
      settings['tools.preload'] === 0 || (!isSwap && preloaded.every((name) => setOf(plan.defer).has(name))),
    terms: {
      model: model && marksForLong(view) ? longMarked(model) : model,
      isUsual: known === undefined,
      isMarked: marksOf(format, view),
    },
  };
}

/** Whether a server is known to be its vendor's, or a cloud's of it. */
const isVendorsOwn = rememberBy(
  ({ vendor, origin }: Upstream) => vendor.origins.includes(origin) || cloudOf(vendor, origin) !== undefined,
);

/** Number of tools that a search adds to those loaded: 4.1 on average over the dialogues of `bench:preload`. */
const USUALLY_ADDED = 4;

const NONE: readonly string[] = [];

/** Whether a request marks what to cache; undefined if its format needs no marks. */
export function marksOf(
  { capabilities: { cacheMark } }: Pick<Format, 'capabilities'>,
  { text, tools }: RequestView,
): boolean | undefined {
  if (cacheMark === undefined) return undefined;
  return tools.some(({ isCacheMarked }) => isCacheMarked) || text.includes(cacheMark);
}

/** Whether a request marks something to be cached for an hour. */
function marksForLong({ text }: RequestView): boolean {
  return /"ttl"\s*:\s*"1h"/.test(text);
}
