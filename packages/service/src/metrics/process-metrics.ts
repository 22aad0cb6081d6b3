import type { Registry } from 'prom-client';

/** Collects Node's process metrics in the Prometheus text format, without a line feed at the end. */
export type CollectProcessMetrics = () => Promise<string>;

/**
 * Begins to measure the process: the lag of its event loop and its garbage collections.
 *
 * The library is loaded here, because loading takes a fifth of a service's start and the first request does
 * not need it.
 */
export async function startProcessMetrics(): Promise<CollectProcessMetrics> {
  const { collectDefaultMetrics, Registry } = await import('prom-client');
  const register: Registry = new Registry();
  collectDefaultMetrics({ register });
  return async () => (await register.metrics()).trimEnd();
}

/** The content type of the text format. */
export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
