import type { ExchangeRecord } from '@winnow/contract';
import type { MetricsRegistry } from '@winnow/service';

/** Calls take a server's time. */
const SECONDS_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

/** Adds the metrics of the registry's tools, and gives what counts one record in them. */
export function countOffers(registry: MetricsRegistry): (record: ExchangeRecord) => void {
  const offers = registry.counter(
    'winnow_proxy_registry_offers_total',
    "Requests that asked for the registry's tools, by what became of it.",
    ['outcome'],
  );
  const calls = registry.counter(
    'winnow_proxy_registry_calls_total',
    "Calls of the registry's tools by models.",
    ['tool', 'outcome'],
  );
  const seconds = registry.histogram(
    'winnow_proxy_registry_call_seconds',
    "Time of one call of the registry's tools.",
    SECONDS_BUCKETS,
    ['tool'],
  );
  return ({ registryOffer: outcome, registryCalls = [] }) => {
    if (outcome !== undefined) offers.inc({ outcome });
    for (const call of registryCalls) {
      calls.inc({ tool: call.tool, outcome: call.outcome });
      seconds.observe({ tool: call.tool }, call.ms / 1_000);
    }
  };
}
