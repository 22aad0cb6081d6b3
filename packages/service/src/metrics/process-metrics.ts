import type { Registry } from 'prom-client';

/** Collects what Node tells of the process, in the Prometheus text format without the line feed at its end. */
export type CollectProcessMetrics = () => Promise<string>;

/**
 * Begins to measure the process: the lag of its event loop and its garbage collections are watched from now on.
 *
 * The library is loaded here: it takes as long as a fifth of the start of a service, which answers its first request without it.
 */
export async function startProcessMetrics(): Promise<CollectProcessMetrics> {
  const { collectDefaultMetrics, Registry } = await import('prom-client');
  const register: Registry = new Registry();
  collectDefaultMetrics({ register });
  return async () => (await register.metrics()).trimEnd();
}

/** The content type of the text format. */
export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
