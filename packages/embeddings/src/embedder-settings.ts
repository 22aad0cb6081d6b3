import { at, setting } from '@winnow/service';
import { z } from 'zod';
import { EMBEDDER_FORMS, readEmbedderAddress } from './embedder-address.ts';

/** Settings of a service's embedder. */
export interface EmbedderSettings {
  /** Empty for none. */
  readonly embedder: string;
  readonly embedderKey: string;
  readonly embedderBudgetMs: number;
  readonly embedderCacheBytes: number;
}

/** The smallest useful amount of memory for vectors. */
const LEAST_BYTES = 2 ** 20;

/** Returns the setting of the vectors' source; empty for none. */
export function embedderAddress() {
  return setting.of(
    z.string().refine((text) => text === '' || readEmbedderAddress(text) !== undefined),
    '',
    EMBEDDER_FORMS,
  );
}

/** Returns the settings of an embedder. `prefix` starts the names of the service's variables. */
export function embedderSettings(prefix: string) {
  const memory = setting.byteSize('64MiB', LEAST_BYTES, Number.POSITIVE_INFINITY);
  return {
    embedder: at('embedder.address', embedderAddress(), `${prefix}_EMBEDDER`),
    embedderKey: at('embedder.api_key', setting.secret('every_request'), `${prefix}_EMBEDDER_KEY`),
    embedderBudgetMs: at('embedder.budget', setting.duration('100ms', 1), `${prefix}_EMBEDDER_BUDGET_MS`),
    embedderCacheBytes: at('embedder.max_memory', memory, `${prefix}_EMBEDDER_CACHE_BYTES`),
  } as const;
}

/** Returns conflicts between these settings, one sentence each. */
export function embedderProblems({
  embedder,
  embedderKey,
}: Pick<EmbedderSettings, 'embedder' | 'embedderKey'>): string[] {
  if (embedderKey === '' || /^https?:/i.test(embedder)) return [];
  return ['embedder.address must be the address of an endpoint when embedder.api_key is set.'];
}
